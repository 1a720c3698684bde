cut -d'"' -f6 access.log |
  curl -sT - -X POST -H 'Content-Type: text/plain' -o /dev/null \
    http://localhost:8080/RestService/CheckMany
