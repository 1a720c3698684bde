/** Answers that are given again for a while, so that few questions are asked. */
import { LRUCache } from "lru-cache";

const maxAnswers = 50;

/** Gives the answers of `ask` again for `keptMs`, those to the latest questions; a failure is not kept. */
export function remember<Question, Answer>(ask: (question: Question) => Promise<Answer>, keptMs: number): typeof ask {
  const answers = new LRUCache<string, Promise<Answer>>({ max: maxAnswers, ttl: keptMs });
  return (question) => {
    const key = JSON.stringify(question) ?? "";
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = ask(question);
    answers.set(key, answer);
    answer.catch(() => answers.delete(key));
    return answer;
  };
}
