/** Words of a command out of a path, a query or a body, binary safe. */
import type { Word } from '../../../kinds/redis/command.ts';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes as a word: text where they are UTF-8. */
export function wordOf(bytes: Uint8Array): Word {
  try {
    return strict.decode(bytes);
  } catch {
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    return { $bytes: btoa(text) };
  }
}

/** The words between the slashes of a path, without its first `skipped`. @param path escaped, as it was sent */
export function wordsOfPath(path: string, skipped: number): Word[] {
  const segments = path.split('/').slice(1 + skipped);
  // A slash at the end does not begin another word.
  if (segments.at(-1) === '') segments.pop();
  return segments.map(unescaped);
}

/** `?EX=100&NX` as EX, 100, NX. @param search with its question mark, or empty */
export function wordsOfQuery(search: string): Word[] {
  return search
    .slice(1)
    .split('&')
    .filter((each) => each !== '')
    .flatMap((each) => {
      const at = each.indexOf('=');
      return at < 0 ? [each] : [each.slice(0, at), each.slice(at + 1)];
    })
    .map((each) => unescaped(each.replaceAll('+', ' ')));
}

const PERCENT = '%'.charCodeAt(0);

/** What percent signs stand for; the URL is ASCII by now. */
function unescaped(text: string): Word {
  if (!text.includes('%')) return text;
  const bytes = new Uint8Array(text.length);
  let size = 0;
  for (let at = 0; at < text.length; at += 1) {
    const hex = text.slice(at + 1, at + 3);
    const isEscape = text.charCodeAt(at) === PERCENT && /^[\da-f]{2}$/i.test(hex);
    bytes[size] = isEscape ? Number.parseInt(hex, 16) : text.charCodeAt(at);
    if (isEscape) at += 2;
    size += 1;
  }
  return wordOf(bytes.subarray(0, size));
}
