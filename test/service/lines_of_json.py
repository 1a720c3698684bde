"""How schemathesis writes and reads application/x-ndjson: as one line, which is what the description's schemas describe."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def to_line(ctx, value):
    return json.dumps(value).encode()


@schemathesis.deserializer("application/x-ndjson")
def from_line(ctx, response):
    return json.loads(response.content)
