"""Counts a combined log independently: `count.py LOG NAMES` prints JSON. NAMES maps user agents of crawlers to their names."""
import json
import re
import sys
from collections import Counter, defaultdict

LINE = re.compile(r'\S+ \S+ \S+ \[[^\]]*\] "\S+ ([^" ?]*)[^"]*" (\d{3}) (\d+|-) "[^"]*" "([^"]*)"')
names = json.load(open(sys.argv[2]))
crawlers = defaultdict(lambda: {"requests": 0, "bytes": 0, "robotsTxt": 0, "statuses": Counter(), "paths": Counter()})
paths = Counter()
for line in open(sys.argv[1]):
    path, status, size, agent = LINE.match(line).groups()
    if agent not in names:
        continue
    crawler = crawlers[names[agent]]
    crawler["requests"] += 1
    crawler["bytes"] += 0 if size == "-" else int(size)
    crawler["robotsTxt"] += path == "/robots.txt"
    crawler["statuses"][status] += 1
    crawler["paths"][path] += 1
    paths[path] += 1


def top(counts, limit):
    return [{"path": path, "requests": n} for path, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit]]


for crawler in crawlers.values():
    crawler["paths"] = top(crawler["paths"], 10)
print(json.dumps({"crawlers": crawlers, "paths": top(paths, 100)}))
