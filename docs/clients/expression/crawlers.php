<?php
$expression = file_get_contents("http://localhost:8080/RestService/RegExp");
$crawler = "~" . str_replace("~", "\\~", $expression) . "~";

echo preg_match($crawler, "curl/8.5.0") === 1 ? "true" : "false", "\n";
