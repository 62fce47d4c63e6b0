/** Makes the table of transformers in docs/templates.md out of what the transformers say of themselves. */
import type { Json } from '../proto/json.ts';
import {
  type Argument,
  TRANSFORMERS,
  type Transformer,
} from '../worker/templates/transformation/transformers/index.ts';

/** Where the table is, relative to the project's folder. */
export const TEMPLATES_PAGE = 'docs/templates.md';

const BEGIN =
  '<!-- Made by npm run generate from worker/templates/transformation/transformers/. -->\n';
const END = '<!-- End of what is made. -->';

/**
 * The page with the table of today in the place of the one that it has.
 * @throws Error when the page does not say where the table is
 */
export function withTransformers(page: string): string {
  const [before, rest] = [page.split(BEGIN)[0] ?? '', page.split(BEGIN)[1]];
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`${TEMPLATES_PAGE} has no place for transformers`);
  return `${before}${BEGIN}\n${table()}\n\n${END}${after}`;
}

function table(): string {
  return [
    '| Transformer | What it does | Of | Makes |',
    '|---|---|---|---|',
    ...TRANSFORMERS.map(row),
  ].join('\n');
}

function row({ name, args = [], about, example }: Transformer): string {
  const written = args.length === 0 ? '' : `, ${args.map(argument).join(', ')}`;
  const given = example.args === undefined ? '' : ` with ${code(example.args)}`;
  return `| \`${name}\`${written} | ${about.replaceAll('|', '\\|').replaceAll('<', '&lt;')} | ${code(example.input)}${given} | ${code(example.output)} |`;
}

function argument({ name, kind, isOptional, isRest }: Argument): string {
  const words = Array.isArray(kind) ? kind.map((each) => `\`${each}\``).join(' or ') : name;
  return `*${words}${isRest ? '…' : ''}${isOptional ? '?' : ''}*`;
}

function code(value: Json | readonly Json[]): string {
  return `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``;
}
