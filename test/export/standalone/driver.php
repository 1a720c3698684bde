<?php

// Prints the verdict on each line of standard input: bytes in base64, or null.

declare(strict_types=1);

use Whocrawls\Whocrawls;

require 'Whocrawls.php';

while (($line = fgets(STDIN)) !== false) {
    $useragent = $line === "null\n" ? null : base64_decode($line);
    $verdict = Whocrawls::check($useragent);
    if ($verdict['crawler'] !== Whocrawls::isCrawler($useragent)) {
        throw new Exception($line);
    }
    echo json_encode($verdict, JSON_THROW_ON_ERROR), "\n";
}
