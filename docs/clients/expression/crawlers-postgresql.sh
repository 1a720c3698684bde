psql -At -v crawler="$(curl -s 'http://localhost:8080/RestService/RegExp')" << 'SQL'
SELECT ('curl/8.5.0' ~ :'crawler')::text;
SQL
