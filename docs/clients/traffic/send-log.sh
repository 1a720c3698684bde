parts=$(mktemp -d)
cut -d'"' -f6 access.log | split -a 4 -l 5000 - "$parts/"
for part in "$parts"/*; do
  curl -sS -H 'Content-Type: text/plain' --data-binary "@$part" -o /dev/null \
    http://localhost:8080/RestService/CheckMany
done
rm -r "$parts"
