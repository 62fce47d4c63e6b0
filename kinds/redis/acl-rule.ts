/** Rules of `ACL SETUSER` as words. Source: backends.md §4.4, redis.io/docs/latest/commands/acl-setuser. */
import { isJsonObject, type Json } from '../../proto/json.ts';
import { onlyNameOf } from '../../proto/ordered-json.ts';
import { plainName } from './grammar.ts';

/** What is before the text of a rule that is an object; by its plain name. */
const BEFORE: Readonly<Record<string, string>> = {
  addpass: '>',
  password: '>',
  removepass: '<',
  addhashedpass: '#',
  addhash: '#',
  removehashedpass: '!',
  removehash: '!',
  addcommand: '+',
  allowcommand: '+',
  command: '+',
  removecommand: '-',
  denycommand: '-',
  addcategory: '+@',
  allowcategory: '+@',
  category: '+@',
  removecategory: '-@',
  denycategory: '-@',
  pattern: '~',
  key: '~',
  keypattern: '~',
  readkey: '%R~',
  readkeypattern: '%R~',
  readpattern: '%R~',
  writekey: '%W~',
  writekeypattern: '%W~',
  writepattern: '%W~',
  readwritekeypattern: '%RW~',
  channel: '&',
  channelpattern: '&',
  other: '',
};
/** Rules that are one name: `On`, `AllKeys`, `NoPass`, `ResetChannels`. */
const NAME = /^[A-Za-z_-]+$/;
/** And not the sign of a command: `-get` is a rule of its own. */
const SIGNED = /^-/;

/** The word of a rule; undefined when it is not a rule. */
export function aclRule(rule: Json): string | undefined {
  if (typeof rule === 'string') {
    return NAME.test(rule) && !SIGNED.test(rule) ? plainRule(rule) : rule;
  }
  const only = isJsonObject(rule) ? onlyNameOf(rule) : undefined;
  if (!isJsonObject(rule) || only === undefined) return undefined;
  const [name, value] = [plainName(only), rule[only] ?? null];
  if (name === 'selector') return selector(value);
  const before = Object.hasOwn(BEFORE, name) ? BEFORE[name] : undefined;
  return before === undefined || typeof value !== 'string' ? undefined : `${before}${value}`;
}

/** `sanitize-payload` and its like keep their dashes. */
function plainRule(rule: string): string {
  const name = plainName(rule);
  if (name === 'sanitizepayload') return 'sanitize-payload';
  return name === 'skipsanitizepayload' ? 'skip-sanitize-payload' : name;
}

/** Rules in parentheses, given as a text or as a list. */
function selector(value: Json): string | undefined {
  if (typeof value === 'string') return value.startsWith('(') ? value : `(${value})`;
  if (!Array.isArray(value)) return undefined;
  const rules = value.map(aclRule);
  return rules.includes(undefined) ? undefined : `(${rules.join(' ')})`;
}
