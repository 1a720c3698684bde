curl -s 'http://localhost:8080/RestService/RegExp' > crawlers.txt
printf 'curl/8.5.0\n' | grep -qPf crawlers.txt && echo true
