from whocrawls import check


def block_ai(application):
    async def middleware(scope, receive, send):
        useragent = dict(scope.get("headers", ())).get(b"user-agent")
        is_open = scope["type"] != "http" or scope["path"] == "/robots.txt"
        if is_open or check(useragent).category != "ai":
            await application(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain")]
        await send({"type": "http.response.start", "status": 403, "headers": headers})
        await send({"type": "http.response.body", "body": b"AI crawlers are not allowed.\n"})

    return middleware
