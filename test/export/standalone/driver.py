"""Prints the verdict on each line of standard input: a string in JSON, bytes in base64, or null."""

import base64
import json
import sys

from whocrawls import check, is_crawler

for line in sys.stdin:
    useragent = json.loads(line) if line == "null\n" or line[0] == '"' else base64.b64decode(line)
    verdict = check(useragent)
    assert verdict.crawler == is_crawler(useragent), line
    facts = verdict._asdict()
    facts["operatorDerived"] = facts.pop("operator_derived")
    print(json.dumps({name: fact for name, fact in facts.items() if fact or name == "crawler"}))
