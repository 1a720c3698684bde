# Defines $is_crawler (0, 1) and $crawler_category in the http block.
npx whocrawls export nginx > /etc/nginx/conf.d/crawlers.conf
nginx -t && nginx -s reload
