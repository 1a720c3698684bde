require "net/http"

crawler = Regexp.new(Net::HTTP.get(URI("http://localhost:8080/RestService/RegExp")))

puts crawler.match?("curl/8.5.0")
