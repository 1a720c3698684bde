require "json"
require "net/http"

URL = URI("http://localhost:8080")
SERVICE = Net::HTTP.new(URL.hostname, URL.port)
SERVICE.use_ssl = URL.scheme == "https"
SERVICE.open_timeout = SERVICE.read_timeout = 0.5
SERVICE.keep_alive_timeout = 60

def check(useragent)
  SERVICE.start unless SERVICE.started?
  body, headers = JSON.generate({ useragent: useragent.scrub }), { "Content-Type" => "application/json" }
  JSON.parse(SERVICE.post("#{URL.path}/RestService/Check", body, headers).body)
rescue StandardError
  {}
end

def crawler?(useragent)
  check(useragent).fetch("crawler", false) # false: fail open. true: fail closed.
end
