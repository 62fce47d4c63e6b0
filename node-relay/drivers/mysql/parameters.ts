/** Turns JSON values into the parameters of a prepared statement, without losing a digit. */
import { checkValues, parameterOf } from '../../../kinds/mysql/dialect/parameters.ts';
import { TYPE } from '../../../kinds/mysql/dialect/types.ts';
import type { Json } from '../../../proto/json.ts';
import type { Prepared } from './exchange.ts';
import { COMMAND, command, lengthPrefix } from './packets.ts';

/** One parameter: the type it is sent as, and its bytes; null is NULL. */
interface BoundParameter {
  readonly type: number;
  readonly unsigned: boolean;
  readonly bytes: Buffer | null;
}

const NULL: BoundParameter = { type: TYPE.null, unsigned: false, bytes: null };

/** Lets go of a prepared statement; servers do not answer. */
export function closeCommand(id: number): Buffer {
  const payload = Buffer.alloc(5);
  payload[0] = COMMAND.close;
  payload.writeUInt32LE(id, 1);
  return command(payload);
}

/**
 * The command that executes a statement. Source: MySQL Internals, "COM_STMT_EXECUTE".
 * @throws GatewayError BAD_REQUEST for a wrong number of values, or one that cannot be bound
 */
export function executeCommand(prepared: Prepared, values: readonly Json[]): Buffer {
  checkValues(prepared.parameters, values.length);
  const head = Buffer.alloc(10);
  head[0] = COMMAND.execute;
  head.writeUInt32LE(prepared.id, 1);
  // No cursor; the count of iterations is always 1.
  head.writeUInt32LE(1, 6);
  if (values.length === 0) return command(head);
  const bound = values.map(boundValue);
  const nulls = Buffer.alloc((bound.length + 7) >> 3);
  const types = Buffer.alloc(1 + 2 * bound.length);
  types[0] = 1;
  for (const [index, { type, unsigned, bytes }] of bound.entries()) {
    if (bytes === null) nulls[index >> 3] = (nulls[index >> 3] ?? 0) | (1 << (index & 7));
    types[1 + 2 * index] = type;
    types[2 + 2 * index] = unsigned ? 0x80 : 0;
  }
  const bytes = bound.flatMap((each) => (each.bytes === null ? [] : [each.bytes]));
  return command(Buffer.concat([head, nulls, types, ...bytes]));
}

function boundValue(value: Json, index: number): BoundParameter {
  const parameter = parameterOf(value, index);
  switch (parameter.sort) {
    case 'null':
      return NULL;
    case 'text':
      return lengthBytes(TYPE.varstring, Buffer.from(parameter.text));
    case 'boolean':
      return { type: TYPE.tiny, unsigned: false, bytes: Buffer.from([parameter.value ? 1 : 0]) };
    case 'integer': {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(BigInt.asUintN(64, parameter.value));
      return { type: TYPE.longlong, unsigned: !parameter.signed, bytes };
    }
    case 'decimal':
      return lengthBytes(TYPE.newdecimal, Buffer.from(parameter.text));
    case 'double': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(parameter.value);
      return { type: TYPE.double, unsigned: false, bytes };
    }
    default:
      return lengthBytes(TYPE.blob, parameter.bytes);
  }
}

function lengthBytes(type: number, bytes: Uint8Array): BoundParameter {
  return { type, unsigned: false, bytes: Buffer.concat([lengthPrefix(bytes.length), bytes]) };
}
