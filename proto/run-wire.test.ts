/** Promises of the messages of `Run` on the wire: byte for byte what the library writes. */
import { create, toBinary } from '@bufbuild/protobuf';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RunRequestSchema, RunResponseSchema } from './gen/relay/v1/relay_pb.ts';
import { runRequestBytes, runResponseBytes } from './run-wire.ts';

const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const uint64 = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.constantFrom(0n, 1n, 127n, 128n),
);
const text = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(127, 128, 16_384).map((length) => 'x'.repeat(length)),
);
const caps = fc.record(
  { total: uint32, production: uint32, development: uint32 },
  { requiredKeys: [] },
);
const target = fc.record(
  {
    kind: text,
    endpoint: text,
    poolKey: text,
    mode: text,
    profile: text,
    caps,
    sealedConnection: text,
  },
  { requiredKeys: [] },
);
const request = fc.record(
  {
    target,
    request: fc.uint8Array({ maxLength: 500 }),
    resultMaxBytes: uint64,
    numbersAsStrings: fc.boolean(),
    sessionId: text,
    canonical: fc.boolean(),
    replyForm: text,
  },
  { requiredKeys: [] },
);
const reply = fc.record({
  result: fc.uint8Array({ maxLength: 500 }),
  backendUs: uint64,
  collectId: text,
});

/** What need not be empty. */
const used = (size: number) => new Uint8Array(size).fill(0xff);

test('a request is what the library writes of it, whatever it holds', () => {
  void fc.assert(
    fc.property(request, (parts) => {
      expect(runRequestBytes(parts)).toEqual(
        toBinary(RunRequestSchema, create(RunRequestSchema, parts)),
      );
    }),
  );
});

test('a reply is what the library writes of it, in a buffer that was used before', () => {
  void fc.assert(
    fc.property(reply, (parts) => {
      expect(runResponseBytes(parts, used)).toEqual(
        toBinary(RunResponseSchema, create(RunResponseSchema, parts)),
      );
    }),
  );
});
