<?php
const SERVICE = "http://localhost:8080";

function check(string $useragent): array {
    $body = json_encode(["useragent" => $useragent], JSON_INVALID_UTF8_SUBSTITUTE);
    $options = ["method" => "POST", "header" => "Content-Type: application/json", "content" => $body, "timeout" => 0.5];
    $answer = @file_get_contents(SERVICE . "/RestService/Check", false, stream_context_create(["http" => $options]));
    return json_decode($answer ?: "{}", true) ?? [];
}

function is_crawler(string $useragent): bool {
    return check($useragent)["crawler"] ?? false; // false: fail open. true: fail closed.
}
