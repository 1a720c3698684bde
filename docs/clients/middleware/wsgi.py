from whocrawls import check


def block_ai(application):
    def middleware(environ, start_response):
        # WSGI has the bytes of headers as Latin-1.
        useragent = environ.get("HTTP_USER_AGENT", "").encode("latin-1")
        if check(useragent).category != "ai" or environ.get("PATH_INFO") == "/robots.txt":
            return application(environ, start_response)
        start_response("403 Forbidden", [("Content-Type", "text/plain")])
        return [b"AI crawlers are not allowed.\n"]

    return middleware
