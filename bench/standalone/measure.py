"""For bench/standalone.ts: microseconds a string of each contender, as JSON. Argument: a JSON file of sets of strings by name."""

import json
import re
import sys
import time

# Its folder stays as it is.
sys.dont_write_bytecode = True
sys.path.insert(0, "")

import crawleruseragents
import is_bot
import ua_parser
import whocrawls
from crawlerdetect import CrawlerDetect

with open(sys.argv[1], encoding="utf-8") as file:
    sets = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    expression = re.compile(file.read())

rounds = 5
contenders = {
    "is_crawler": whocrawls.is_crawler,
    "check": whocrawls.check,
    "our expression (re)": expression.search,
    # Without its cache of 1,024 strings.
    "crawlerdetect": CrawlerDetect()._check_crawler,
    "crawler-user-agents": crawleruseragents.is_crawler,
    "is-bot": is_bot.Bots().is_bot,
    # The default parser has a cache.
    "ua-parser": ua_parser.Parser(ua_parser.BasicResolver(ua_parser.load_builtins())).parse_user_agent,
}


def measure(contender, strings):
    """Over and over for 20 ms of CPU time."""
    begin = now = time.process_time()
    passes = 0
    while now < begin + 0.02:
        for string in strings:
            contender(string)
        passes += 1
        now = time.process_time()
    return (now - begin) / passes / len(strings) * 1e6


times = {name: {} for name in contenders}
for kind, strings in sets.items():
    for contender in contenders.values():
        for string in strings:
            contender(string)
    for name, contender in contenders.items():
        times[name][kind] = []
    # In turn, so that a busy machine disturbs all of them.
    for _ in range(rounds):
        for name, contender in contenders.items():
            times[name][kind].append(measure(contender, strings))
print(json.dumps({name: {kind: min(each) for kind, each in kinds.items()} for name, kinds in times.items()}))
