/** Finds the regular expressions in source files: literals, and those made by `RegExp`, as far as their text is constant. */
import { transformSync } from "esbuild";
import { parseAst } from "rollup/parseAst";

export interface FoundExpression {
  /** Undefined where it is known only when the program runs. */
  readonly source: string | undefined;
  readonly flags: string;
  /** As it stands in the code. */
  readonly text: string;
}

type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<Record<string, unknown>>;

/** Finds the expressions of a TypeScript file. */
export function findExpressions(typescript: string): FoundExpression[] {
  const { code } = transformSync(typescript, { loader: "ts", target: "esnext" });
  const nodes: Node[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === "object" && value !== null) {
      if (typeof (value as Node).type === "string") nodes.push(value as Node);
      Object.values(value).forEach(visit);
    }
  };
  visit(parseAst(code));
  const constants = new Map(
    nodes.flatMap((node) =>
      node.type === "VariableDeclarator" && (node.id as Node).type === "Identifier" && node.init !== null
        ? [[String((node.id as Node).name), node.init as Node] as const]
        : [],
    ),
  );

  /** The text of an expression that is constant; undefined where it is not. */
  function textOf(node: Node | undefined): string | undefined {
    if (node === undefined) return "";
    if (node.type === "Literal" && node.regex !== undefined) return (node.regex as { pattern: string }).pattern;
    if (node.type === "Literal" && typeof node.value === "string") return node.value;
    if (node.type === "Identifier") {
      const init = constants.get(String(node.name));
      return init && textOf(init);
    }
    if (node.type === "BinaryExpression" && node.operator === "+") {
      const [left, right] = [textOf(node.left as Node), textOf(node.right as Node)];
      return left === undefined || right === undefined ? undefined : left + right;
    }
    if (node.type === "TaggedTemplateExpression" && code.slice(node.start, node.end).startsWith("String.raw"))
      return templateOf(node.quasi as Node, "raw");
    return node.type === "TemplateLiteral" ? templateOf(node, "cooked") : undefined;
  }

  function templateOf(node: Node, kind: "raw" | "cooked"): string | undefined {
    const parts = (node.quasis as { value: { raw: string; cooked: string } }[]).map(({ value }) => value[kind]);
    const values = (node.expressions as Node[]).map((value) => textOf(value));
    if (values.includes(undefined)) return undefined;
    return parts.map((part, at) => part + (values[at] ?? "")).join("");
  }

  return nodes.flatMap((node): FoundExpression[] => {
    const text = code.slice(node.start, node.end);
    const regex = node.regex as { pattern: string; flags: string } | undefined;
    if (node.type === "Literal" && regex) return [{ source: regex.pattern, flags: regex.flags, text }];
    const isMade = node.type === "NewExpression" || node.type === "CallExpression";
    if (!isMade || (node.callee as Node).name !== "RegExp") return [];
    const [source, flags] = (node.arguments as Node[]).map(textOf);
    return [
      {
        source: flags === undefined && (node.arguments as Node[]).length > 1 ? undefined : source,
        flags: flags ?? "",
        text,
      },
    ];
  });
}
