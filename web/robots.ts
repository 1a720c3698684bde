/** The field of `/robots`: shows what the text says as you type. The text stays in the browser. */

import { type RobotsFacts, toRobotsHtml } from "../src/pages/robots/robots-view.ts";
import { finish } from "../src/pattern/finish.ts";
import { afterPause, find, show } from "./dom.ts";

const form = find<HTMLFormElement>("#robots");
const field = find<HTMLTextAreaElement>("#text");
const result = find("#result");
const facts = JSON.parse(form.dataset.facts ?? "{}") as RobotsFacts;

const check = (): void => show(result, finish(toRobotsHtml(field.value, facts)));

form.addEventListener("input", afterPause(150, check));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  check();
});
