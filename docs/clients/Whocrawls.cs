using System.Net.Http.Json;
using System.Text.Json;

static class Whocrawls
{
    const string Url = "http://localhost:8080";
    static readonly HttpClient Service = new() { Timeout = TimeSpan.FromMilliseconds(500) };

    public static async Task<bool> IsCrawler(string useragent)
    {
        try
        {
            using var answer = await Service.PostAsJsonAsync(Url + "/RestService/Check", new { useragent });
            var verdict = await answer.EnsureSuccessStatusCode().Content.ReadFromJsonAsync<JsonElement>();
            return verdict.GetProperty("crawler").GetBoolean();
        }
        catch (Exception error) when (error is HttpRequestException or TaskCanceledException or JsonException)
        {
            return false; // false: fail open. true: fail closed.
        }
    }
}
