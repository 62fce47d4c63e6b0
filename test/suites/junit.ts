/** Reads the reports that test runners write in JUnit's form. */
import type { Outcome } from './suite.ts';

const CASE = /<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g;
const ATTRIBUTE = /([\w-]+)="([^"]*)"/g;
const FAULT = /<(?:failure|error)\b([^>]*?)(?:\/>|>([\s\S]*?)<\/(?:failure|error)>)/;
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
};
/** Of what a runner says about a failure, so much is kept. */
const KEPT_CHARACTERS = 300;

/** What a report says; cases of one name are told apart by a number behind it. */
export function outcomeOf(report: string): Outcome {
  let passed = 0;
  const differing = new Map<string, string>();
  const counts = new Map<string, number>();
  let skipped = 0;
  for (const [, written = '', content = ''] of report.matchAll(CASE)) {
    if (content.includes('<skipped')) {
      skipped += 1;
      continue;
    }
    const name = nameOf(attributesOf(written));
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const unique = count > 1 ? `${name} (${count})` : name;
    const fault = FAULT.exec(content);
    if (fault) differing.set(unique, wordsOf(fault));
    else passed += 1;
  }
  return { passed, differing, skipped };
}

function wordsOf([, written = '', content = '']: RegExpExecArray): string {
  const { message = '', type = '' } = attributesOf(written);
  return (message || decoded(content).trim() || type).slice(0, KEPT_CHARACTERS);
}

function nameOf({ file = '', classname = '', name = '' }: Readonly<Record<string, string>>) {
  return [file, file === classname ? '' : classname, name]
    .filter((part) => part !== '')
    .join(' > ');
}

function attributesOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(ATTRIBUTE)].map(([, name = '', value = '']) => [name, decoded(value)]),
  );
}

function decoded(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return ENTITIES[name] ?? whole;
  });
}
