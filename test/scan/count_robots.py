"""Compares a combined log with a robots.txt independently: `count_robots.py LOG ROBOTS NAMES SINCE` prints JSON.
NAMES maps user agents of crawlers to [name, token, applies, the longest Crawl-delay or 0]; SINCE is in seconds since 1970."""
import json
import re
import sys
from collections import Counter, defaultdict
from datetime import datetime

LINE = re.compile(r'\S+ \S+ \S+ \[([^\]]*)\] "\S+ ([^" ]*)[^"]*" (\d{3}) ')
names = json.load(open(sys.argv[3]))
judged_from = float(sys.argv[4]) + 86400

groups = defaultdict(list)
delays = {}
agents, is_open = [], False
delayed, is_delayed = [], False
for line in open(sys.argv[2]):
    key, _, value = (part.strip() for part in line.split("#")[0].partition(":"))
    if key.lower() == "user-agent":
        agents = agents + [value.lower()] if is_open else [value.lower()]
        delayed = [value.lower()] if is_delayed else delayed + [value.lower()]
        is_open, is_delayed = True, False
    elif key.lower() in ("allow", "disallow"):
        is_open, is_delayed = False, True
        for agent in agents:
            expression = "".join(".*" if part == "*" else re.escape(part) for part in re.split(r"(\*)", value.rstrip("$")))
            groups[agent].append((len(value), key.lower() == "allow", re.compile(expression + ("$" if value.endswith("$") else ""))))
    elif key.lower() == "crawl-delay":
        is_delayed = True
        for agent in delayed:
            delays[agent] = int(value)


def is_disallowed(token, target):
    rules = groups[token.lower() if token.lower() in groups else "*"]
    found = [(length, allow) for length, allow, expression in rules if expression.match(target)]
    return bool(found) and not max(found)[1]


crawlers = defaultdict(lambda: {"fetched": False, "allowed": 0, "disallowed": 0, "excused": 0, "early": 0, "paths": Counter(), "last": (-1, 0), "intervals": Counter()})
for line in open(sys.argv[1], encoding="utf-8"):
    agent = line.rstrip()[:-1].rsplit('"', 1)[1]
    if agent not in names:
        continue
    time, target, status = LINE.match(line).groups()
    name, token, applies, longest = names[agent]
    crawler = crawlers[name]
    crawler["applies"] = applies
    at = datetime.strptime(time, "%d/%b/%Y:%H:%M:%S %z").timestamp()
    path = target.split("?")[0]
    delay = min(longest, delays.get(token.lower(), delays.get("*", 0)))
    crawler["delay"] = delay
    if delay and path != "/robots.txt" and at >= judged_from:
        crawler["intervals"][at // max(60, delay)] += 1
    if path == "/robots.txt":
        crawler["fetched"] = True
        crawler["last"] = max(crawler["last"], (at, int(status)))
    elif not is_disallowed(token, target):
        crawler["allowed"] += 1
    elif at < judged_from:
        crawler["excused"] += 1
        crawler["early"] += 1
    else:
        crawler["disallowed"] += 1
        # The report shows long paths by their beginning.
        shown = path if len(path) <= 200 else path[:199] + "…"
        crawler["paths"][shown, len(path) < 200 and not is_disallowed(token, path)] += 1

for crawler in crawlers.values():
    status = crawler.pop("last")[1]
    if status:
        crawler["lastStatus"] = status
    delay, intervals = crawler.pop("delay"), crawler.pop("intervals")
    if delay:
        crawler["crawlDelay"] = {"seconds": delay, "exact": True}
        crawler["crawlDelay"]["exceeding"] = 0 if 400 <= status < 500 else sum(max(0, n - max(60, delay) // delay - 1) for n in intervals.values())
    if 400 <= status < 500 or not crawler["applies"]:
        crawler["excused"] += crawler["disallowed"]
        crawler["disallowed"] = crawler["early"] = 0
        crawler["paths"] = Counter()
    ranked = sorted(crawler["paths"].items(), key=lambda item: (-item[1], item[0]))
    crawler["paths"] = [{"path": path, "requests": n, **({"isByQuery": True} if by_query else {})} for (path, by_query), n in ranked[:10]]
print(json.dumps(crawlers))
