"""Compares a combined log with a robots.txt independently: `count_robots.py LOG ROBOTS NAMES SINCE` prints JSON.
NAMES maps user agents of crawlers to [name, token, applies]; SINCE is in seconds since 1970."""
import json
import re
import sys
from collections import Counter, defaultdict
from datetime import datetime

LINE = re.compile(r'\S+ \S+ \S+ \[([^\]]*)\] "\S+ ([^" ]*)[^"]*" (\d{3}) ')
names = json.load(open(sys.argv[3]))
judged_from = float(sys.argv[4]) + 86400

groups = defaultdict(list)
agents, is_open = [], False
for line in open(sys.argv[2]):
    key, _, value = (part.strip() for part in line.split("#")[0].partition(":"))
    if key.lower() == "user-agent":
        agents = agents + [value.lower()] if is_open else [value.lower()]
        is_open = True
    elif key.lower() in ("allow", "disallow"):
        is_open = False
        for agent in agents:
            expression = "".join(".*" if part == "*" else re.escape(part) for part in re.split(r"(\*)", value.rstrip("$")))
            groups[agent].append((len(value), key.lower() == "allow", re.compile(expression + ("$" if value.endswith("$") else ""))))


def is_disallowed(token, target):
    rules = groups[token.lower() if token.lower() in groups else "*"]
    found = [(length, allow) for length, allow, expression in rules if expression.match(target)]
    return bool(found) and not max(found)[1]


crawlers = defaultdict(lambda: {"fetched": False, "allowed": 0, "disallowed": 0, "excused": 0, "paths": Counter(), "last": (-1, 0)})
for line in open(sys.argv[1], encoding="utf-8"):
    agent = line.rstrip()[:-1].rsplit('"', 1)[1]
    if agent not in names:
        continue
    time, target, status = LINE.match(line).groups()
    name, token, applies = names[agent]
    crawler = crawlers[name]
    crawler["applies"] = applies
    at = datetime.strptime(time, "%d/%b/%Y:%H:%M:%S %z").timestamp()
    path = target.split("?")[0]
    if path == "/robots.txt":
        crawler["fetched"] = True
        crawler["last"] = max(crawler["last"], (at, int(status)))
    elif not is_disallowed(token, target):
        crawler["allowed"] += 1
    elif at < judged_from:
        crawler["excused"] += 1
    else:
        crawler["disallowed"] += 1
        # The report shows long paths by their beginning.
        crawler["paths"][path if len(path) <= 200 else path[:199] + "…"] += 1

for crawler in crawlers.values():
    status = crawler.pop("last")[1]
    if status:
        crawler["lastStatus"] = status
    if 400 <= status < 500 or not crawler["applies"]:
        crawler["excused"] += crawler["disallowed"]
        crawler["disallowed"] = 0
        crawler["paths"] = Counter()
    ranked = sorted(crawler["paths"].items(), key=lambda item: (-item[1], item[0]))
    crawler["paths"] = [{"path": path, "requests": n} for path, n in ranked[:10]]
print(json.dumps(crawlers))
