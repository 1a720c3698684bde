"""Counts a combined log independently: `count.py LOG NAMES [FILTER]` prints JSON. NAMES maps user agents of crawlers to their names."""
import json
import re
import sys
from collections import Counter, defaultdict
from datetime import datetime
from functools import cache
from urllib.parse import parse_qs, urlsplit

LINE = re.compile(r'(\S+) \S+ \S+ \[([^\]]*)\] "\S+ ([^" ?]*)([^" ]*)[^"]*" (\d{3}) (\d+|-) "([^"]*)" "([^"]*)"')
names = json.load(open(sys.argv[2]))
wanted = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}
totals = Counter()
COUNTERS = ["statuses", "robotsStatuses", "paths", "clientErrors", "serverErrors"]
crawlers = defaultdict(lambda: {"requests": 0, "bytes": 0, "robotsTxt": 0, **{name: Counter() for name in COUNTERS}})
hours = defaultdict(lambda: defaultdict(lambda: [0, 0]))
paths, path_bytes, directories, directory_bytes = Counter(), Counter(), Counter(), Counter()
parts = defaultdict(list)
referrals = {"requests": 0, "withReferrer": 0, "visits": Counter()}
HOSTS = {"chatgpt.com": "ChatGPT", "gemini.google.com": "Gemini", "bing.com": "Bing", "perplexity.ai": "Perplexity"}
SOURCES = {"chatgpt.com": "ChatGPT", "perplexity": "Perplexity"}


@cache
def hour_of(hour):
    return datetime.strptime(f"{hour} +0000", "%d/%b/%Y:%H %z")


def seconds_of(time):
    """Of a time in UTC, which is all that the test's log has."""
    return hour_of(time[:14]).timestamp() + 60 * int(time[15:17]) + int(time[18:20])


@cache
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
        at = seconds_of(time)
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
            parts[origin, address, path].append(seconds_of(time) // 60)
        continue
    crawler = crawlers[names[agent]]
    crawler["requests"] += 1
    crawler["bytes"] += 0 if size == "-" else int(size)
    crawler["robotsTxt"] += path == "/robots.txt"
    crawler["statuses"][status] += 1
    crawler["paths"][path] += 1
    paths[path] += 1
    hour = hours[names[agent]][hour_of(time[:14]).strftime("%Y-%m-%dT%H:%M:%SZ")]
    hour[0] += 1
    hour[1] += int(size)
    if path == "/robots.txt":
        crawler["robotsStatuses"][status] += 1
        continue
    path_bytes[path] += int(size)
    directory = "/".join(path.split("/")[:2]) + "/" if path.count("/") > 1 else "/"
    directories[directory] += 1
    directory_bytes[directory] += int(size)
    if status[0] in "45":
        crawler["clientErrors" if status[0] == "4" else "serverErrors"][path] += 1


def top(counts, limit):
    return [{"path": path, "requests": n} for path, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit]]


for (origin, _, _), minutes in parts.items():
    start = None
    for minute in sorted(minutes):
        if start is None or minute >= start + 30:
            start = minute
            referrals["visits"][origin] += 1
for name, crawler in crawlers.items():
    for counts in COUNTERS[2:]:
        crawler[counts] = top(crawler[counts], 10)
    begin, (requests, size) = min(hours[name].items(), key=lambda item: (-item[1][0], item[0]))
    median = sorted(count for count, _ in hours[name].values())[len(hours[name]) // 2]
    crawler["times"] = {hour: count for hour, (count, _) in hours[name].items()}
    crawler["peak"] = {"from": begin, "requests": requests, "bytes": size, "medianRequests": median}
by_bytes = [{"path": row["path"], "requests": paths[row["path"]], "bytes": row["requests"]} for row in top(path_bytes, 100)]
by_directory = [{**row, "bytes": directory_bytes[row["path"]]} for row in top(directories, 100)]
lists = {"paths": top(paths, 100), "pathsByBytes": by_bytes, "directories": by_directory}
print(json.dumps({"crawlers": crawlers, "referrals": referrals, "totals": totals, **lists}))
