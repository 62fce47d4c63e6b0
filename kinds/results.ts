/** Forms of results that several kinds share: each form is one schema, told apart by its required members. */
import * as z from 'zod';
import { JsonValue } from './members.ts';
import { SqlResult } from './sql.ts';

/** What comes besides results. */
const pushes = z
  .array(
    z.looseObject({ type: z.string().meta({ description: 'What it is', examples: ['message'] }) }),
  )
  .optional()
  .meta({
    description:
      'In a session that subscribes or tracks keys: what the server said since its last request, `{type: "message", channel, message}` or `{type: "invalidate", keys}`',
    examples: [[{ type: 'message', channel: 'news', message: 'hello' }]],
  });

/** What one command answers. */
export const RedisResult = z
  .object({
    result: JsonValue.meta({
      description:
        'The reply, decoded by the command: maps as objects, scores as `[{member, score}]`, nil as null, integers beyond 2^53 as strings, binary as `{"$bytes": base64}`',
      examples: ['hello'],
    }),
    pushes,
  })
  .meta({
    id: 'RedisResult',
    description: 'What a command answered',
    examples: [{ result: 'hello' }],
  });

/** What replaces a result of a pipeline. */
const Failed = z
  .object({
    error: z.string().meta({ description: 'What kind of error', examples: ['Request failed'] }),
    message: z.string().meta({ description: "In the server's words", examples: ['WRONGTYPE'] }),
    code: z.string().meta({ description: "The error's first word", examples: ['WRONGTYPE'] }),
  })
  .meta({
    id: 'RedisFailed',
    description: 'The error that a command of a pipeline answered',
    examples: [
      {
        error: 'Request failed',
        message: 'Operation against a key holding the wrong kind of value',
        code: 'WRONGTYPE',
      },
    ],
  });
/** What several statements, or the commands of a pipeline, answer. */
export const Results = z
  .object({
    results: z
      .array(z.xor([SqlResult, RedisResult, Failed]))
      .meta({ description: 'One for each statement or command, in their order' }),
    pushes,
  })
  .meta({
    id: 'Results',
    description:
      'What the statements of one request, or the commands of a Redis pipeline, answered',
    examples: [
      {
        results: [
          { columns: [], rows: [], row_count: 0, rows_affected: 1 },
          { columns: [{ name: 'stock', type: 'integer' }], rows: [{ stock: 90 }], row_count: 1 },
        ],
      },
      { results: [{ result: 1 }, { result: 'hello' }] },
    ],
  });

/** One value by itself. */
export const Value = z
  .object({
    value: JsonValue.meta({
      description:
        'PostgreSQL, of `copy_out`: the rows as text, in the format of the statement. MongoDB: a number, a name, a list of values, or null',
    }),
  })
  .meta({
    id: 'Value',
    description: 'What is neither rows nor documents',
    examples: [{ value: 53 }],
  });
