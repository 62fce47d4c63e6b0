/** Compares what a server said with what the driver makes of it, by a rule of its own: every value comes through, in its order. */
import type { Wire } from '../direct-client.ts';

/** Names that the driver gives to places. */
const LABELS = new Set([
  ...['member', 'score', 'field', 'value', 'rank', 'key', 'distance', 'hash', 'coordinates'],
  ...['longitude', 'latitude', 'id', 'fields', 'entries', 'cursor', 'ids', 'deleted_ids', 'count'],
  ...['min_id', 'max_id', 'consumers', 'name', 'consumer', 'idle_time', 'delivery_count'],
  ...['timestamp', 'labels', 'data_point', 'data_points', 'item', 'element', 'attributes'],
  ...['explanation', 'payload', 'sort_key', 'string', 'term', 'suggestions', 'suggestion'],
  ...['event', 'latest', 'maximum', 'latency', 'duration_micros', 'command', 'client_address'],
  ...['client_name', 'role', 'offset', 'replicas', 'host', 'port', '$bytes', 'error', 'message'],
  ...['code', 'Request failed', 'ERR', 'WRONGTYPE', 'null', 'results', 'total_results', 'profile'],
]);
/** What RESP3 writes around the parts of a search's reply, under other names or always the same. */
const FRAME = new Set([
  ...['extra_attributes', 'values', 'sortkey', 'aggregators', 'results', 'profile', 'attributes'],
  ...['format', 'STRING', 'warning', 'total_results'],
]);

/** Every value of a reply, in its order, keys of maps too. */
export function leavesOfWire(reply: Wire, isJson: boolean): string[] {
  if (reply.parts) return reply.parts.flatMap((part) => leavesOfWire(part, isJson));
  const bytes = reply.text ?? Buffer.alloc(0);
  const text = bytes.toString();
  switch (reply.type) {
    case '_':
      return ['null'];
    case ',':
      return [doubleText(text)];
    case '#':
      return [text === 't' ? 'true' : 'false'];
    case '-':
    case '!':
      return [text];
    default:
      if (!Buffer.from(text).equals(bytes)) return [bytes.toString('base64')];
      return isJson ? leavesOfText(text) : [/^-?inf$/.test(text) ? doubleText(text) : text];
  }
}

/** A text that is JSON, as its values. */
function leavesOfText(text: string): string[] {
  try {
    return leavesOfJson(JSON.parse(text));
  } catch {
    return [text];
  }
}

/** Every value of JSON, in its order, names of members too. */
export function leavesOfJson(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(leavesOfJson);
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, item]) => [name, ...leavesOfJson(item)]);
  }
  return [String(value)];
}

function doubleText(text: string): string {
  if (text === 'inf') return 'Infinity';
  if (text === '-inf') return '-Infinity';
  return /nan/.test(text) ? 'NaN' : String(Number(text));
}

/** How a command's replies are alike on two servers. */
export type Likeness = 'same' | 'unordered' | 'numbers differ' | 'both' | 'text differs';

/** What is in one and not in the other; undefined when they are alike. */
export function differenceOf(
  said: readonly string[],
  told: readonly string[],
  likeness: Likeness,
): string | undefined {
  if (likeness === 'text differs') return said.length > 0 && told.length > 0 ? undefined : 'empty';
  const mask = (leaf: string) =>
    (likeness === 'numbers differ' || likeness === 'both') &&
    /^-?\d+(\.\d+)?(e[+-]?\d+)?$|^NaN$/.test(leaf)
      ? '#'
      : leaf;
  const [left, right] = [said.map(mask), told.map(mask)];
  const isUnordered = likeness === 'unordered' || likeness === 'both';
  return isUnordered ? balance(left, right) : walk(left, right);
}

/** Counts both, whatever their order. */
function balance(said: readonly string[], told: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const leaf of said) counts.set(leaf, (counts.get(leaf) ?? 0) + 1);
  for (const leaf of told) counts.set(leaf, (counts.get(leaf) ?? 0) - 1);
  for (const [leaf, count] of counts) {
    if (count > 0 && !FRAME.has(leaf)) return `lacks ${leaf}`;
    if (count < 0 && !LABELS.has(leaf)) return `has ${leaf}`;
  }
  return undefined;
}

/** Goes along both; names that only one has are passed over. */
function walk(said: readonly string[], told: readonly string[]): string | undefined {
  let at = 0;
  for (const leaf of told) {
    while (said[at] !== leaf && FRAME.has(said[at] ?? '') && !LABELS.has(leaf)) at += 1;
    if (said[at] === leaf) at += 1;
    else if (!LABELS.has(leaf)) return `${leaf} instead of ${said[at]}`;
  }
  const rest = said.slice(at).filter((leaf) => !FRAME.has(leaf));
  return rest.length === 0 ? undefined : `lacks ${rest.slice(0, 3).join(', ')}`;
}
