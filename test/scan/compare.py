"""Compares two combined logs independently: `compare.py OLD NEW FACTS` prints JSON. FACTS maps user agents of crawlers to
their name and operator."""
import json
import re
import sys
from collections import Counter
from datetime import datetime

LINE = re.compile(r'\S+ \S+ \S+ \[([^\]]*)\] "[^"]*" \d{3} (\d+) "[^"]*" "([^"]*)"')
facts = json.load(open(sys.argv[3]))


def read(path):
    requests, sizes, times = Counter(), Counter(), []
    for line in open(path):
        time, size, agent = LINE.match(line).groups()
        times.append(datetime.strptime(time, "%d/%b/%Y:%H:%M:%S %z").timestamp())
        keys = ["total all"]
        if agent in facts:
            fact = facts[agent]
            keys += ["total crawlers", "crawler " + fact["name"]]
            keys += ["operator " + fact["operator"]] if "operator" in fact else []
        for key in keys:
            requests[key] += 1
            sizes[key] += int(size)
    return requests, sizes, (max(times) - min(times)) / 86400


def six(value):
    return float(f"{value:.6g}")


def change(old, new, old_days, new_days):
    row = {"before": old, "now": new, "difference": new - old, "perDayBefore": six(old / old_days), "perDayNow": six(new / new_days)}
    row["perDayDifference"] = six(new / new_days - old / old_days)
    if old > 0:
        row["percent"] = six(100 * ((new / new_days) / (old / old_days) - 1))
    return row


old, old_sizes, old_days = read(sys.argv[1])
new, new_sizes, new_days = read(sys.argv[2])
rows = {}
for key in set(old) | set(new):
    rows[key] = {
        "requests": change(old[key], new[key], old_days, new_days),
        "bytes": change(old_sizes[key], new_sizes[key], old_days, new_days),
    }
    if key.startswith("crawler "):
        rows[key]["status"] = "both" if key in old and key in new else "gone" if key in old else "new"
print(json.dumps(rows))
