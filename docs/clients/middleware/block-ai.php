<?php
require_once __DIR__ . '/Whocrawls.php';

$verdict = \Whocrawls\Whocrawls::check($_SERVER['HTTP_USER_AGENT'] ?? null);
if (($verdict['category'] ?? null) === 'ai' && $_SERVER['REQUEST_URI'] !== '/robots.txt') {
    http_response_code(403);
    header('Content-Type: text/plain');
    exit("AI crawlers are not allowed.\n");
}
