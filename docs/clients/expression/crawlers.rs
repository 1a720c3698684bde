// Dependencies: regex 1.8, ureq 3
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let expression = ureq::get("http://localhost:8080/RestService/RegExp").call()?.body_mut().read_to_string()?;
    let crawler = regex::Regex::new(&expression)?;
    println!("{}", crawler.is_match("curl/8.5.0"));
    Ok(())
}
