/**
 * Clients of Check in other languages, from which docs/clients.md and a section of /docs are made. Each is a file with a function, needs
 * the standard library only, keeps its connection where the language can, and decides what a service that does not answer means.
 */
import type { Program } from "./programs.ts";

/** A client, and the differences of its language. */
export interface Client extends Program {
  readonly note: string;
  /** The name of the language in a block of Markdown. */
  readonly language: string;
}

/** Writes the clients for a service at `origin`, such as `http://localhost:8080`, which wait `timeoutMs` for an answer. */
export function toClients(origin: string, timeoutMs = 500): readonly Client[] {
  // A request can have a Host that is none.
  const { protocol, hostname, host, port, pathname } = new URL(origin, "http://localhost:8080");
  const isTls = protocol === "https:";
  const path = `${pathname.replace(/\/$/, "")}/RestService/Check`;
  const address = `${protocol}//${host}${path}`;
  const server = `"${hostname.replace(/^\[|\]$/g, "")}", ${port || (isTls ? 443 : 80)}`;
  const seconds = timeoutMs / 1000;
  return [
    {
      title: "Python",
      language: "python",
      file: "whocrawls.py",
      note: "A connection serves one thread. The second attempt is for a connection that the service has closed.",
      code: `import json
from http.client import HTTP${isTls ? "S" : ""}Connection, HTTPException

service = HTTP${isTls ? "S" : ""}Connection(${server}, timeout=${seconds})


def check(useragent):
    body, headers = json.dumps({"useragent": useragent}), {"Content-Type": "application/json"}
    for _ in range(2):
        try:
            service.request("POST", "${path}", body, headers)
            return json.load(service.getresponse())
        except (OSError, HTTPException, ValueError) as error:
            service.close()
            if not isinstance(error, ConnectionError):
                break
    return {}


def is_crawler(useragent):
    return check(useragent).get("crawler", False)  # False: fail open. True: fail closed.
`,
    },
    {
      title: "PHP",
      language: "php",
      file: "whocrawls.php",
      note: "PHP's streams open a connection for each call. The extension curl keeps connections, within one request of the site.",
      code: `<?php
function check(string $useragent): array {
    $body = json_encode(["useragent" => $useragent], JSON_INVALID_UTF8_SUBSTITUTE);
    $options = ["method" => "POST", "header" => "Content-Type: application/json", "content" => $body, "timeout" => ${seconds}];
    $answer = @file_get_contents("${address}", false, stream_context_create(["http" => $options]));
    return json_decode($answer ?: "{}", true) ?? [];
}

function is_crawler(string $useragent): bool {
    return check($useragent)["crawler"] ?? false; // false: fail open. true: fail closed.
}
`,
    },
    {
      title: "Go",
      language: "go",
      file: "whocrawls.go",
      note: "A client serves any number of goroutines.",
      code: `package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"
)

var service = http.Client{Timeout: ${timeoutMs} * time.Millisecond}

func check(useragent string) (verdict map[string]any) {
	body, _ := json.Marshal(map[string]string{"useragent": useragent})
	request, _ := http.NewRequest("POST", "${address}", bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	request.Header["Idempotency-Key"] = nil // Not sent; sends again if the service has closed the connection.
	answer, err := service.Do(request)
	if err == nil {
		defer answer.Body.Close()
		json.NewDecoder(answer.Body).Decode(&verdict)
	}
	return
}

func isCrawler(useragent string) bool {
	crawler, isKnown := check(useragent)["crawler"].(bool)
	return isKnown && crawler // Fail open. Fail closed: !isKnown || crawler
}
`,
    },
    {
      title: "Ruby",
      language: "ruby",
      file: "whocrawls.rb",
      note: "A connection serves one thread.",
      code: `require "json"
require "net/http"

SERVICE = Net::HTTP.new(${server})
${isTls ? "SERVICE.use_ssl = true\n" : ""}SERVICE.open_timeout = SERVICE.read_timeout = ${seconds}
SERVICE.keep_alive_timeout = 60

def check(useragent)
  SERVICE.start unless SERVICE.started?
  body, headers = JSON.generate({ useragent: useragent.scrub }), { "Content-Type" => "application/json" }
  JSON.parse(SERVICE.post("${path}", body, headers).body)
rescue StandardError
  {}
end

def crawler?(useragent)
  check(useragent).fetch("crawler", false) # false: fail open. true: fail closed.
end
`,
    },
    {
      title: "Java",
      language: "java",
      file: "Whocrawls.java",
      note: "Java's library has no JSON parser, so this client asks CheckMany, which answers `1` for a crawler and `0` for others.",
      code: `import java.io.IOException;
import java.net.URI;
import java.net.http.*;
import java.time.Duration;

class Whocrawls {
    static final Duration TIMEOUT = Duration.ofMillis(${timeoutMs});
    static final HttpClient SERVICE = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT).build();

    static boolean isCrawler(String useragent) throws InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("${address}Many")).timeout(TIMEOUT)
            .header("Content-Type", "text/plain").POST(HttpRequest.BodyPublishers.ofString(useragent + "\\n")).build();
        try {
            var answer = SERVICE.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) throw new IOException(answer.body());
            return answer.body().startsWith("1");
        } catch (IOException error) {
            return false; // false: fail open. true: fail closed.
        }
    }
}
`,
    },
    {
      title: "C#",
      language: "csharp",
      file: "Whocrawls.cs",
      note: "For .NET 6 and later.",
      code: `using System.Net.Http.Json;
using System.Text.Json;

static class Whocrawls
{
    static readonly HttpClient Service = new() { Timeout = TimeSpan.FromMilliseconds(${timeoutMs}) };

    public static async Task<bool> IsCrawler(string useragent)
    {
        try
        {
            using var answer = await Service.PostAsJsonAsync("${address}", new { useragent });
            var verdict = await answer.EnsureSuccessStatusCode().Content.ReadFromJsonAsync<JsonElement>();
            return verdict.GetProperty("crawler").GetBoolean();
        }
        catch (Exception error) when (error is HttpRequestException or TaskCanceledException or JsonException)
        {
            return false; // false: fail open. true: fail closed.
        }
    }
}
`,
    },
  ];
}
