/** Writes rows as CSV while they arrive. RFC 4180; keys and nested values as contract §6 writes them. */

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
/** What a cell is quoted for. RFC 4180 §2. */
const QUOTED = /[",\r\n]/;

/**
 * CSV of lines of rows: the first gives the columns, each other is a row as a list.
 * NULL is an empty cell and the empty text `""`, as PostgreSQL writes them; a list or object is its JSON.
 */
export async function* csvOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const piece of pieces) {
    let csv = '';
    const text = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString();
    for (let at = 0; at < text.length; ) {
      const end = text.indexOf('\n', at);
      csv += isFirst ? headerOf(text.slice(at, end)) : recordOf(text, at);
      isFirst = false;
      at = end + 1;
    }
    yield Buffer.from(csv);
  }
}

function headerOf(line: string): string {
  const { columns } = JSON.parse(line) as { columns: { name: string }[] }; // As columnsLine wrote it.
  return `${columns.map(({ name }) => cellOf(name)).join(',')}\r\n`;
}

/** The record of the row whose line begins there. */
function recordOf(text: string, start: number): string {
  let record = '';
  let at = start + 1;
  while (text.charCodeAt(at) !== CLOSE_LIST) {
    const end = endOfValue(text, at);
    record += fieldOf(text.slice(at, end));
    at = end;
    if (text.charCodeAt(at) !== COMMA) break;
    record += ',';
    at += 1;
  }
  return `${record}\r\n`;
}

/** The cell of a value's JSON text. */
function fieldOf(json: string): string {
  if (json === 'null') return '';
  if (json.charCodeAt(0) !== QUOTE) return cellOf(json);
  const isPlain = !json.includes('\\');
  return cellOf(isPlain ? json.slice(1, -1) : (JSON.parse(json) as string)); // It begins with a quote.
}

function cellOf(text: string): string {
  if (text !== '' && !QUOTED.test(text)) return text;
  return `"${text.replaceAll('"', '""')}"`;
}

/** Where the value that begins there ends. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (depth === 0 && (code === COMMA || code === CLOSE_LIST)) return at;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
  }
  return text.length;
}

/** The closing quote of the text that opens there. */
function endOfText(text: string, open: number): number {
  for (let at = open + 1; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE || Number.isNaN(code)) return at;
    if (code === BACKSLASH) at += 1;
  }
}
