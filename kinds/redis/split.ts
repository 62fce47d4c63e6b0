/** A command line as its words, quoted as redis-cli takes them. Source: redis.io, `sdssplitargs`. */
import type { Word } from './command.ts';

/** What `\n` and its like stand for between double quotes. */
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' };
const encoder = new TextEncoder();

/** The words; undefined when a quote is not closed, or is followed by more than a blank. */
export function splitLine(line: string): Word[] | undefined {
  const words: Word[] = [];
  let rest = line.trimStart();
  while (rest !== '') {
    const read = rest.startsWith('"') || rest.startsWith("'") ? quoted(rest) : bare(rest);
    if (read === undefined) return undefined;
    words.push(read.word);
    rest = rest.slice(read.size).trimStart();
  }
  return words;
}

/** A word, and how much of the line it takes. */
interface SplitWord {
  readonly word: Word;
  readonly size: number;
}

/** A quote may begin within a word, and ends it. */
function bare(text: string): SplitWord | undefined {
  const [begun = ''] = /^[^\s"']+/.exec(text) ?? [];
  if (!/^["']/.test(text.slice(begun.length))) return { word: begun, size: begun.length };
  const rest = quoted(text.slice(begun.length));
  return rest && { word: joined(begun, rest.word), size: begun.length + rest.size };
}

function joined(begun: string, rest: Word): Word {
  if (typeof rest === 'string') return begun + rest;
  return { $bytes: btoa(latin(begun) + atob(rest.$bytes)) };
}

function quoted(text: string): SplitWord | undefined {
  const pattern = text.startsWith('"') ? /^"((?:[^"\\]|\\.)*)"/su : /^'((?:[^'\\]|\\.)*)'/su;
  const found = pattern.exec(text);
  if (found === null || /^\S/.test(text.slice(found[0].length))) return undefined;
  const [{ length: size }, inner = ''] = found;
  if (text.startsWith("'")) return { word: inner.replaceAll("\\'", "'"), size };
  return { word: unescaped(inner), size };
}

/** Bytes written as `\xHH` make the word one of bytes, unless all are ASCII. */
function unescaped(inner: string): Word {
  let isBinary = false;
  const text = inner.replace(/\\(x[0-9a-fA-F]{2}|.)/gsu, (_, code: string) => {
    if (code.length === 1) return ESCAPES[code] ?? code;
    const byte = Number.parseInt(code.slice(1), 16);
    if (byte > 0x7f) isBinary = true;
    return String.fromCharCode(byte);
  });
  return isBinary ? { $bytes: btoa(bytesOf(inner)) } : text;
}

/** One character for each byte. */
function bytesOf(inner: string): string {
  return inner.replace(/\\(x[0-9a-fA-F]{2}|.)|[^\\]+/gsu, (whole, code?: string) => {
    if (code === undefined) return latin(whole);
    if (code.length === 1) return latin(ESCAPES[code] ?? code);
    const hex = /^x[0-9a-fA-F]{2}$/.test(code);
    return hex ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : latin(code);
  });
}

function latin(text: string): string {
  let bytes = '';
  for (const byte of encoder.encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
}
