/** Finds the shell examples of a Markdown page, each with the reply that the page shows for it. */

/** A block of shell with `curl` in it, or with a function that an earlier one of the page made of it. */
interface Example {
  /** Of its opening fence, from 1. */
  readonly line: number;
  readonly script: string;
  /** The next block before the next example, heading or command; what the page shows as the output. */
  readonly shown: Block | undefined;
}

/** A fenced block. */
export interface Block {
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

/** What is read out of a page. */
interface Page {
  readonly examples: readonly Example[];
  /** Numbers of the lines that call `curl` and are in no example: nothing runs them. */
  readonly strays: readonly number[];
  /** Lines of other shell blocks: a reader runs them, and no test does. */
  readonly commands: readonly string[];
  /** Functions that the page's examples define. */
  readonly functions: readonly string[];
  /** Targets of its links, without those outside of the project. */
  readonly links: readonly string[];
  /** What a link to a place on this page may name after `#`. */
  readonly anchors: readonly string[];
}

const SHELLS: readonly string[] = ['sh', 'bash', 'shell', 'console'];
const CALLS_CURL = /\bcurl\s+(?:-|\$|"|'|https?:)/;

/** Reads a page's text. @param known functions of a page that comes before it */
export function readPage(text: string, known: readonly string[] = []): Page {
  const parts = partsOf(text);
  const made = new Set(known);
  const examples = parts.flatMap((part, index): Example[] => {
    if (part === 'heading' || !isExample(part, made)) return [];
    for (const [, name = ''] of part.text.matchAll(/^(\w+)\(\) \{/gm)) made.add(name);
    const next = parts[index + 1];
    const shown =
      next === undefined || next === 'heading' || SHELLS.includes(next.language) ? undefined : next;
    return [{ line: part.line, script: part.text, shown }];
  });
  const run = new Set(examples.flatMap(({ line, script }) => linesFrom(line + 1, script)));
  const strays = text
    .split('\n')
    .flatMap((each, index) => (CALLS_CURL.test(each) && !run.has(index + 1) ? [index + 1] : []));
  return {
    examples,
    strays,
    commands: parts.flatMap((part) => commandsOf(part, run)),
    functions: [...made],
    links: linksOf(text),
    anchors: text.split('\n').flatMap(anchorOf),
  };
}

function commandsOf(part: Block | 'heading', run: ReadonlySet<number>): string[] {
  if (part === 'heading' || !SHELLS.includes(part.language) || run.has(part.line + 1)) return [];
  return part.text.split('\n').filter((line) => line.trim() !== '');
}

function linksOf(text: string): string[] {
  const outside = text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '');
  return [...outside.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^\w+:/.test(target));
}

/** As the usual renderers make them: small letters, hyphens for spaces, no other marks. */
function anchorOf(line: string): string[] {
  const [, heading] = /^#{1,6} (.*)$/.exec(line) ?? [];
  if (heading === undefined) return [];
  return [
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  ];
}

function isExample({ language, text }: Block, made: ReadonlySet<string>): boolean {
  if (!SHELLS.includes(language)) return false;
  const calls = text.split('\n').some((line) => made.has(line.trim().split(' ', 1)[0] ?? ''));
  return calls || /\bcurl\b/.test(text);
}

function linesFrom(first: number, text: string): number[] {
  return text.split('\n').map((_, index) => first + index);
}

/** Blocks and headings in their order. */
function partsOf(text: string): (Block | 'heading')[] {
  const parts: (Block | 'heading')[] = [];
  let open: { fence: string; line: number; language: string; lines: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const [, fence = '', language = ''] = /^\s*(`{3,})\s*(\w*)/.exec(line) ?? [];
    if (open === undefined) {
      if (fence !== '') open = { fence, line: index + 1, language, lines: [] };
      else if (/^#{1,6} /.test(line)) parts.push('heading');
    } else if (fence === open.fence && language === '') {
      parts.push({ line: open.line, language: open.language, text: open.lines.join('\n') });
      open = undefined;
    } else open.lines.push(line);
  }
  return parts;
}
