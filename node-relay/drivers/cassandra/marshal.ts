/** Types of CQL: as the protocol reports them, as Java's names of classes, and as people write them. */

import { ReplyFault } from './bytes.ts';

/** Types inside each other. Spec silent; the server itself takes fewer. */
export const DEPTH_MAX = 64;

/** A type of CQL. */
export type CqlType =
  | { readonly kind: 'simple'; readonly name: string }
  | { readonly kind: 'list' | 'set'; readonly of: CqlType }
  | { readonly kind: 'map'; readonly key: CqlType; readonly value: CqlType }
  | { readonly kind: 'tuple'; readonly of: readonly CqlType[] }
  | { readonly kind: 'udt'; readonly name: string; readonly fields: readonly Field[] }
  | { readonly kind: 'vector'; readonly of: CqlType; readonly size: number };

/** A member of a user-defined type. */
interface Field {
  readonly name: string;
  readonly type: CqlType;
}

/** A type as the driver reads it from the protocol. */
export interface ProtocolType {
  readonly code: number;
  readonly info?: unknown;
}

/** Numbers of the protocol. Source: CQL binary protocol v4 and v5, section 4.2.5.2. */
const SIMPLE: { readonly [code: number]: string } = {
  1: 'ascii',
  2: 'bigint',
  3: 'blob',
  4: 'boolean',
  5: 'counter',
  6: 'decimal',
  7: 'double',
  8: 'float',
  9: 'int',
  10: 'text',
  11: 'timestamp',
  12: 'uuid',
  13: 'text',
  14: 'varint',
  15: 'timeuuid',
  16: 'inet',
  17: 'date',
  18: 'time',
  19: 'smallint',
  20: 'tinyint',
  21: 'duration',
};

/** Names of classes, without their package. */
const CLASSES: { readonly [name: string]: string } = {
  AsciiType: 'ascii',
  LongType: 'bigint',
  BytesType: 'blob',
  BooleanType: 'boolean',
  CounterColumnType: 'counter',
  DecimalType: 'decimal',
  DoubleType: 'double',
  FloatType: 'float',
  Int32Type: 'int',
  UTF8Type: 'text',
  TimestampType: 'timestamp',
  DateType: 'timestamp',
  UUIDType: 'uuid',
  IntegerType: 'varint',
  TimeUUIDType: 'timeuuid',
  InetAddressType: 'inet',
  SimpleDateType: 'date',
  TimeType: 'time',
  ShortType: 'smallint',
  ByteType: 'tinyint',
  DurationType: 'duration',
};

/** The type that the protocol reports. What it is not known by comes as bytes. */
export function cqlType({ code, info }: ProtocolType): CqlType {
  // The driver's reader gives each code its own kind of `info`.
  switch (code) {
    case 0:
      return typeOfClass(parseClass(String(info)));
    case 0x20:
    case 0x22:
      return { kind: code === 0x20 ? 'list' : 'set', of: cqlType(info as ProtocolType) };
    case 0x21: {
      const [key, value] = info as [ProtocolType, ProtocolType];
      return { kind: 'map', key: cqlType(key), value: cqlType(value) };
    }
    case 0x30: {
      const { name, fields } = info as {
        name: string;
        fields: { name: string; type: ProtocolType }[];
      };
      const own = fields.map((each) => ({ name: each.name, type: cqlType(each.type) }));
      return { kind: 'udt', name, fields: own };
    }
    case 0x31:
      return { kind: 'tuple', of: (info as ProtocolType[]).map(cqlType) };
    default:
      return { kind: 'simple', name: SIMPLE[code] ?? 'blob' };
  }
}

/** A class with its arguments; those of a user-defined type have labels. */
interface ClassTree {
  readonly name: string;
  readonly label: string;
  readonly parts: readonly ClassTree[];
}

/** `VectorType(FloatType, 3)`, with packages. */
function parseClass(text: string): ClassTree {
  let at = 0;
  const tree = (depth: number): ClassTree => {
    if (depth > DEPTH_MAX) throw new ReplyFault('Types are too deep');
    const [word = ''] = /^[^(),]*/.exec(text.slice(at)) ?? [];
    at += word.length;
    const colon = word.indexOf(':');
    const label = colon < 0 ? '' : word.slice(0, colon).trim();
    const name = word
      .slice(colon + 1)
      .trim()
      .replace(/^.*\./, '');
    const parts: ClassTree[] = [];
    if (text[at] === '(') {
      do {
        at += 1;
        parts.push(tree(depth + 1));
      } while (text[at] === ',');
      at += 1;
      while (text[at] === ' ') at += 1;
    }
    return { name, label, parts };
  };
  return tree(0);
}

const BLOB: CqlType = { kind: 'simple', name: 'blob' };

function typeOfClass({ name, parts }: ClassTree): CqlType {
  const [first, second] = parts;
  const of = (part: ClassTree | undefined) => (part ? typeOfClass(part) : BLOB);
  switch (name) {
    case 'FrozenType':
    case 'ReversedType':
      return of(first);
    case 'ListType':
      return { kind: 'list', of: of(first) };
    case 'SetType':
      return { kind: 'set', of: of(first) };
    case 'MapType':
      return { kind: 'map', key: of(first), value: of(second) };
    case 'TupleType':
      return { kind: 'tuple', of: parts.map(typeOfClass) };
    case 'VectorType':
      return { kind: 'vector', of: of(first), size: Number(second?.name) };
    case 'UserType':
      return {
        kind: 'udt',
        name: fromHex(second?.name),
        fields: parts.slice(2).map((part) => ({
          name: fromHex(part.label),
          type: typeOfClass(part),
        })),
      };
    default:
      return { kind: 'simple', name: CLASSES[name] ?? 'blob' };
  }
}

function fromHex(text = ''): string {
  return Buffer.from(text, 'hex').toString();
}

/** As people write it; `frozen` is left out, because results do not tell it. */
export function typeName(type: CqlType): string {
  switch (type.kind) {
    case 'simple':
      return type.name;
    case 'list':
    case 'set':
      return `${type.kind}<${typeName(type.of)}>`;
    case 'map':
      return `map<${typeName(type.key)}, ${typeName(type.value)}>`;
    case 'tuple':
      return `tuple<${type.of.map(typeName).join(', ')}>`;
    case 'vector':
      return `vector<${typeName(type.of)}, ${type.size}>`;
    case 'udt':
      return type.name;
  }
}

/** Bytes of each value of a type whose values all have the same length. Source: Cassandra, `AbstractType.valueLengthIfFixed`. */
const FIXED: { readonly [name: string]: number } = {
  bigint: 8,
  boolean: 1,
  double: 8,
  float: 4,
  int: 4,
  timestamp: 8,
  timeuuid: 16,
  uuid: 16,
};

/** Bytes of an element inside a vector; undefined where each says its own length. */
export function fixedLength(type: CqlType): number | undefined {
  if (type.kind === 'simple') return FIXED[type.name];
  if (type.kind !== 'vector') return undefined;
  const inner = fixedLength(type.of);
  return inner === undefined ? undefined : inner * type.size;
}
