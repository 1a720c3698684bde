"""Counts the behavior of user agents in a combined log independently: `count_fleets.py LOG` prints JSON by user agent."""
import json
import re
import sys
from collections import defaultdict

LINE = re.compile(r'(\S+) \S+ \S+ \[\d+/\w+/\d+:(\d\d)[^\]]*\] "\S+ ([^" ?]*)[^"]*" \d{3} \S+ "([^"]*)" "([^"]*)"')
ASSET = re.compile(r"\.(css|m?js|png|jpe?g|gif|webp|avif|svg|ico|bmp|woff2?|[ot]tf|eot)$", re.I)
agents = defaultdict(lambda: {"requests": 0, "addresses": set(), "assets": 0, "withReferrer": 0, "hours": [0] * 24})
for line in open(sys.argv[1]):
    address, hour, path, referrer, useragent = LINE.match(line).groups()
    agent = agents[useragent]
    agent["requests"] += 1
    agent["addresses"].add(address)
    agent["assets"] += bool(ASSET.search(path))
    agent["withReferrer"] += referrer != "-"
    agent["hours"][int(hour)] += 1
for agent in agents.values():
    agent["addresses"] = len(agent["addresses"])
print(json.dumps(agents))
