/** Transformers of texts. */
import { isRawJson, type Json } from '../../../../proto/json.ts';
import type { Execution } from '../execution.ts';
import { RuleFault } from '../failure.ts';
import { chargedText, jsonText, type Transformer, textIn } from './transformer.ts';

function ofText(change: (text: string) => string): Transformer['make'] {
  return () => (value, x) => change(chargedText(value, x));
}

/** Longest text that padding makes. Spec silent. */
const PADDED_MAX = 10_000;

const padding = [
  { name: 'length', kind: 'integer', least: 0, most: PADDED_MAX },
  { name: 'with', kind: 'text', isOptional: true },
] as const;

export const TEXT: readonly Transformer[] = [
  {
    name: 'trim',
    about: 'Takes white space off both ends of a text.',
    example: { input: '  Ada ', output: 'Ada' },
    make: ofText((text) => text.trim()),
  },
  {
    name: 'capitalize',
    about: 'Makes the first letter of a text a capital; the rest stays.',
    example: { input: 'ada Lovelace', output: 'Ada Lovelace' },
    make: ofText(capitalized),
  },
  {
    name: 'titleCase',
    about: 'Makes the first letter of every word a capital, and all others small.',
    example: { input: 'ADA lovelace', output: 'Ada Lovelace' },
    make: ofText((text) =>
      text.toLowerCase().replace(/\p{L}[\p{L}\p{M}\p{N}'\u2019]*/gu, (word) => capitalized(word)),
    ),
  },
  {
    name: 'lowercase',
    about: 'Makes all letters small.',
    example: { input: 'Ada@Example.COM', output: 'ada@example.com' },
    make: ofText((text) => text.toLowerCase()),
  },
  {
    name: 'uppercase',
    about: 'Makes all letters capitals.',
    example: { input: 'pt', output: 'PT' },
    make: ofText((text) => text.toUpperCase()),
  },
  {
    name: 'collapse',
    about: 'Makes every run of white space one space, and takes it off both ends.',
    example: { input: ' Rua \n  Augusta  27', output: 'Rua Augusta 27' },
    make: ofText((text) => text.split(/\s+/u).filter(Boolean).join(' ')),
  },
  {
    name: 'slugify',
    about: 'Makes a text fit for an address: small letters and digits with hyphens between.',
    example: { input: 'Crème Brûlée, 2 × 100 g', output: 'creme-brulee-2-100-g' },
    make: () => (value, x) => slug(chargedText(value, x), x),
  },
  {
    name: 'replace',
    args: [
      { name: 'text', kind: 'text' },
      { name: 'by', kind: 'text', isOptional: true },
    ],
    about: 'Replaces every occurrence of a literal text by another, or by nothing.',
    example: { input: '21.11.2026', args: ['.', '/'], output: '21/11/2026' },
    make:
      ([from, by = '']) =>
      (value, x) =>
        replaced(chargedText(value, x), textIn(from ?? ''), textIn(by), x),
  },
  {
    name: 'split',
    args: [{ name: 'separator', kind: 'text', isOptional: true }],
    about:
      'Cuts a text at every separator, a comma when left out; an empty one cuts characters apart.',
    example: { input: 'a;b;c', args: [';'], output: ['a', 'b', 'c'] },
    make:
      ([separator = ',']) =>
      (value, x) =>
        split(chargedText(value, x), textIn(separator), x),
  },
  {
    name: 'padStart',
    args: padding,
    about: 'Puts spaces, or another text, before a text until it has so many characters.',
    example: { input: '7', args: [3, '0'], output: '007' },
    make:
      ([length, fill = ' ']) =>
      (value, x) => {
        x.take(Number(length));
        return chargedText(value, x).padStart(Number(length), textIn(fill));
      },
  },
  {
    name: 'padEnd',
    args: padding,
    about: 'Puts spaces, or another text, behind a text until it has so many characters.',
    example: { input: 'ab', args: [4, '.'], output: 'ab..' },
    make:
      ([length, fill = ' ']) =>
      (value, x) => {
        x.take(Number(length));
        return chargedText(value, x).padEnd(Number(length), textIn(fill));
      },
  },
  {
    name: 'truncate',
    args: [
      { name: 'length', kind: 'integer', least: 0 },
      { name: 'end', kind: 'text', isOptional: true },
    ],
    about:
      'Cuts a text to so many characters, the last of them an ellipsis, or another end, where it was longer.',
    example: { input: 'Lovelace', args: [5], output: 'Love…' },
    make:
      ([length, end = '…']) =>
      (value, x) =>
        truncated(chargedText(value, x), Number(length), textIn(end)),
  },
  {
    name: 'toString',
    about:
      'Makes a number or a boolean its text, with every digit; arrays and objects become JSON text.',
    example: { input: 42.5, output: '42.5' },
    make: () => (value, x) => {
      if (typeof value === 'string') return value;
      return isRawJson(value) ? value.rawJSON : jsonText(value, x);
    },
  },
  {
    name: 'toBoolean',
    about:
      'Makes true of true, yes, y, t, on and 1, and false of false, no, n, f, off and 0, in any case of letters.',
    example: { input: 'Yes', output: true },
    make: () => (value) => booleanOf(value),
  },
];

function capitalized(text: string): string {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0x20);
  return text === '' ? text : first.toUpperCase() + text.slice(first.length);
}

function slug(text: string, x: Execution): string {
  const apart = text.normalize('NFKD');
  // One character may come apart into eighteen.
  x.spend(2 + apart.length);
  x.take(apart.length);
  const plain = apart.replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join('-');
}

function replaced(text: string, from: string, by: string, x: Execution): string {
  if (from === '') throw new RuleFault('needs a text of at least one character to replace');
  const pieces = text.split(from);
  x.spend(pieces.length);
  x.take(8 * pieces.length + by.length * (pieces.length - 1));
  return pieces.join(by);
}

function split(text: string, separator: string, x: Execution): Json[] {
  // At worst every character is a piece.
  x.spend(text.length >> 3);
  x.take(text.length * (separator === '' ? 12 : 4));
  const pieces = separator === '' ? [...text] : text.split(separator);
  x.spend(pieces.length);
  x.take(pieces.length * 24);
  return pieces;
}

function truncated(text: string, length: number, end: string): string {
  const characters = [...text.slice(0, 2 * length + 2)];
  if (characters.length <= length) return text;
  const kept = Math.max(0, length - [...end].length);
  return characters.slice(0, kept).join('') + [...end].slice(0, length).join('');
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'y', 't', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'no', 'n', 'f', 'off', '0'].map((word) => [word, false] as const),
]);

function booleanOf(value: Json): boolean {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' && value.length < 20 ? value.trim().toLowerCase() : value;
  const found = BOOLEANS.get(
    typeof text === 'number' ? String(text) : typeof text === 'string' ? text : '',
  );
  if (found === undefined) throw new RuleFault('takes true, false, yes, no, on, off, 1 or 0');
  return found;
}
