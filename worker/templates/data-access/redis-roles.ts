/** What is where in commands of Redis: words that are values, and those that are code, patterns or the command itself. */

import { isContainer } from '../../../kinds/redis/table.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import type { TextRole } from './text-role.ts';

/** Commands that are scripts, settings or the server's own administration: their author's alone. */
const OWN =
  /^(?:raw_command\w*|function|script|acl|config|module|ft\.config|client|cluster|debug|latency|command|slaveof|replicaof|migrate|auth|hello)\b/;
/** Commands that run scripts. */
const SCRIPTS = /^(?:eval|evalsha|fcall)(?:_ro)?$/;
/** Members that name the script or say how many keys it has. */
const OF_SCRIPTS = new Set(['script', 'sha', 'sha1', 'function', 'numkeys', 'function_code']);
/** Commands with words that are patterns. */
const PATTERNS = /^(?:keys|scan|sscan|hscan|zscan|pubsub(?: \w+)?|psubscribe|punsubscribe)$/;
/** Members that are languages of their own, by the beginning of the command. */
const LANGUAGES: readonly (readonly [RegExp, RegExp])[] = [
  [/^ft\./, /^(?:query|filter|filters|expression|apply|summarize|highlight|index_filter)$/],
  [/^(?:ts\.|vsim)/, /^(?:filter|filters)$/],
  [/^json\./, /^(?:path|paths)$/],
  [/^(?:sort|sort_ro)$/, /^(?:by|by_pattern|get|get_pattern|pattern)$/],
];
/** Commands that take several documents in `value`. */
const MANY = /^json\.(?:arrappend|arrinsert)$/;

/** What is at a path of a request. */
export function roleInRedis(request: JsonObject, named: string, path: readonly string[]): TextRole {
  // As its reader takes a name apart.
  const type = named.trim().toLowerCase().split(/ +|\|/).join(' ');
  const [member = '', index = '', ...inner] = path;
  if (member === 'pipeline') return placeInPipeline(request.pipeline, index, inner);
  const isOwn = member === 'type' || member === 'command' || OWN.test(type);
  if (isOwn) return 'fixed';
  if (SCRIPTS.test(type)) return placeInScript(request, path);
  if (member === 'args') return placeInArgs(type, path);
  if (type.startsWith('json.')) {
    const document = placeOfDocument(type, path);
    if (document) return document;
  }
  return placeOfMember(type, path);
}

function placeInPipeline(pipeline: Json | undefined, index: string, inner: string[]): TextRole {
  const command = Array.isArray(pipeline) ? pipeline[Number(index)] : undefined;
  if (!isJsonObject(command) || inner.length === 0) return 'fixed';
  const { type } = command;
  return roleInRedis(command, typeof type === 'string' ? type : '', inner);
}

/** `KEYS` and `ARGV` are values. */
function placeInScript(request: JsonObject, [member = '', index]: readonly string[]): TextRole {
  if (OF_SCRIPTS.has(member)) return 'fixed';
  const isNamed = [...OF_SCRIPTS].some((each) => request[each] !== undefined);
  if (member !== 'args' || isNamed) return 'value';
  return index === undefined || Number(index) < 2 ? 'fixed' : 'value';
}

/** Words one by one: their number, and with it what each of them is, is the author's. */
function placeInArgs(type: string, [, index]: readonly string[]): TextRole {
  if (index === undefined) return 'fixed';
  const at = Number(index);
  if (isContainer(type) && at === 0) return 'fixed';
  if (type.startsWith('json.')) return at === 0 ? 'value' : 'fixed';
  if (PATTERNS.test(type)) return 'glob';
  const isLanguage = LANGUAGES.some(([types]) => types.test(type));
  return isLanguage && at > 0 ? 'code' : 'value';
}

function placeOfDocument(type: string, path: readonly string[]): TextRole | undefined {
  const [member, index, inner, ...others] = path;
  if (member === 'value') {
    if (index === undefined) return 'document';
    return MANY.test(type) && inner === undefined ? 'document' : 'value';
  }
  if (type !== 'json.mset' || others.length > 0) return undefined;
  if (inner === 'value') return 'document';
  return inner === 'path' ? 'code' : undefined;
}

function placeOfMember(type: string, path: readonly string[]): TextRole {
  const names = path.filter((each) => !/^\d+$/.test(each));
  const isLanguage = LANGUAGES.some(
    ([types, members]) => types.test(type) && names.some((each) => members.test(each)),
  );
  if (isLanguage) return 'code';
  const last = names.at(-1) ?? '';
  const isPattern = PATTERNS.test(type) && /^(?:pattern|patterns|match)$/.test(last);
  return isPattern ? 'glob' : 'value';
}
