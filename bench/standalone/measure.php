<?php

// For bench/standalone.ts: microseconds a string of each contender, as JSON. Arguments: a JSON file of sets of strings by name; the expression.

declare(strict_types=1);

use Whocrawls\Whocrawls;

require 'Whocrawls.php';

function cpuMicroseconds(): int
{
    $usage = getrusage();
    return $usage['ru_utime.tv_sec'] * 1_000_000 + $usage['ru_utime.tv_usec'];
}

$sets = json_decode(file_get_contents($argv[1]), true);
$expression = '~' . str_replace('~', '\~', file_get_contents($argv[2])) . '~D';
[$exclusions, $crawlers] = json_decode(file_get_contents('crawler-detect.json'));
$contenders = [
    'isCrawler' => Whocrawls::isCrawler(...),
    'check' => Whocrawls::check(...),
    // What the package does, with the expressions of its port to JavaScript, because Composer's registry is not used here.
    'CrawlerDetect' => function (string $useragent) use ($exclusions, $crawlers): bool {
        $rest = trim(preg_replace("/($exclusions)/i", '', $useragent));
        return $rest !== '' && preg_match("/($crawlers)/i", $rest, $found) === 1;
    },
    'our expression (preg)' => fn (string $useragent): bool => preg_match($expression, $useragent) === 1,
];
$times = [];
foreach ($sets as $kind => $strings) {
    foreach ($contenders as $contender) {
        array_map($contender, $strings);
    }
    for ($round = 0; $round < 5; $round++) {
        foreach ($contenders as $name => $contender) {
            $begin = $now = cpuMicroseconds();
            // Over and over for 20 ms.
            for ($passes = 0; $now < $begin + 20_000; $passes++) {
                foreach ($strings as $string) {
                    $contender($string);
                }
                $now = cpuMicroseconds();
            }
            $time = ($now - $begin) / $passes / count($strings);
            $times[$name][$kind] = min($time, $times[$name][$kind] ?? INF);
        }
    }
}
echo json_encode($times);
