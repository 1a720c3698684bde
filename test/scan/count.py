"""Counts a combined log independently: `count.py LOG NAMES [FILTER]` prints JSON. NAMES maps user agents of crawlers to their names."""
import json
import re
import sys
from collections import Counter, defaultdict
from datetime import datetime
from urllib.parse import parse_qs, urlsplit

STAMP = "%d/%b/%Y:%H:%M:%S %z"
LINE = re.compile(r'(\S+) \S+ \S+ \[([^\]]*)\] "\S+ ([^" ?]*)([^" ]*)[^"]*" (\d{3}) (\d+|-) "([^"]*)" "([^"]*)"')
names = json.load(open(sys.argv[2]))
wanted = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}
totals = Counter()
crawlers = defaultdict(lambda: {"requests": 0, "bytes": 0, "robotsTxt": 0, "statuses": Counter(), "paths": Counter()})
paths = Counter()
parts = defaultdict(list)
referrals = {"requests": 0, "withReferrer": 0, "visits": Counter()}
HOSTS = {"chatgpt.com": "ChatGPT", "gemini.google.com": "Gemini", "bing.com": "Bing", "perplexity.ai": "Perplexity"}
SOURCES = {"chatgpt.com": "ChatGPT", "perplexity": "Perplexity"}


def origin_of(referrer, query):
    """Of the referrers that the test's log has, whose pages they are."""
    if referrer == "-":
        return SOURCES.get(parse_qs(query[1:]).get("utm_source", [""])[0])
    host = urlsplit(referrer).hostname or ""
    if re.fullmatch(r"(www\.)?google\.(com|de|co\.uk)", host):
        return "Google Search"
    return next((name for known, name in HOSTS.items() if host == known or host.endswith("." + known)), None)


def passes(time, path, agent):
    if "since" in wanted or "until" in wanted:
        at = datetime.strptime(time, STAMP).timestamp()
        if at < wanted.get("since", at) or at >= wanted.get("until", at + 1):
            return False
    if "paths" in wanted and not any(path.startswith(prefix) for prefix in wanted["paths"]):
        return False
    return "crawlers" not in wanted or names.get(agent) in wanted["crawlers"]


for line in open(sys.argv[1]):
    address, time, path, query, status, size, referrer, agent = LINE.match(line).groups()
    if wanted and not passes(time, path, agent):
        totals["excluded"] += 1
        continue
    totals["requests"] += 1
    totals["bytes"] += 0 if size == "-" else int(size)
    if agent not in names:
        referrals["requests"] += 1
        referrals["withReferrer"] += referrer != "-"
        origin = origin_of(referrer, query)
        delivered = (status[0] == "2" and status != "206") or status == "304"
        if origin and delivered and not path.lower().endswith(".png"):
            referrals["visits"][origin] += 1
        if origin and status == "206":
            parts[origin, address, path].append(datetime.strptime(time, STAMP).timestamp() // 60)
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


for (origin, _, _), minutes in parts.items():
    start = None
    for minute in sorted(minutes):
        if start is None or minute >= start + 30:
            start = minute
            referrals["visits"][origin] += 1
for crawler in crawlers.values():
    crawler["paths"] = top(crawler["paths"], 10)
print(json.dumps({"crawlers": crawlers, "paths": top(paths, 100), "referrals": referrals, "totals": totals}))
