/** Reads the binary form of OTLP's traces: as much of trace_service.proto as spans need. */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** Fields of one message, by their numbers. */
type Fields = ReadonlyMap<number, readonly (Uint8Array | bigint)[]>;

/** A span as tests compare it. */
export interface DecodedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly id: string;
  readonly parentId: string;
  readonly name: string;
  readonly kind: number;
  /** Nanoseconds. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, string>>;
}

/** `ExportTraceServiceRequest`. Source: opentelemetry-proto 1.11, numbers of its fields. */
export function decodeTraces(bytes: Uint8Array): DecodedSpan[] {
  return messages(fieldsOf(bytes), 1).flatMap((resourceSpans) => {
    const [resource] = messages(resourceSpans, 1);
    const service = attributesOf(resource, 1)['service.name'] ?? '';
    const spans = messages(resourceSpans, 2).flatMap((scopeSpans) => messages(scopeSpans, 2));
    return spans.map((span) => spanOf(span, service));
  });
}

function spanOf(span: Fields, service: string): DecodedSpan {
  return {
    service,
    traceId: hexOf(span, 1),
    id: hexOf(span, 2),
    parentId: hexOf(span, 4),
    name: textOf(span, 5),
    kind: Number(span.get(6)?.[0] ?? 0),
    start: BigInt(numberOf(span, 7)),
    end: BigInt(numberOf(span, 8)),
    attributes: attributesOf(span, 9),
  };
}

function attributesOf(message: Fields | undefined, field: number): Record<string, string> {
  return Object.fromEntries(
    (message === undefined ? [] : messages(message, field)).map((pair) => {
      const [value] = messages(pair, 2);
      const number = value?.get(3)?.[0];
      const text = number === undefined ? (value ? textOf(value, 1) : '') : String(number);
      return [textOf(pair, 1), text];
    }),
  );
}

function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, (Uint8Array | bigint)[]>();
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    fields.set(number, [...(fields.get(number) ?? []), fieldValue(reader, number, type)]);
  }
  return fields;
}

function fieldValue(reader: BinaryReader, number: number, type: WireType): Uint8Array | bigint {
  if (type === WireType.LengthDelimited) return reader.bytes();
  if (type === WireType.Varint) return BigInt(reader.int64());
  if (type === WireType.Bit64) return BigInt(reader.fixed64());
  if (type === WireType.Bit32) return BigInt(reader.fixed32());
  throw new Error(`Field ${number} is of a form that OTLP does not use`);
}

function messages(fields: Fields, number: number): Fields[] {
  return (fields.get(number) ?? []).map((value) => fieldsOf(bytesOf(value)));
}

function bytesOf(value: Uint8Array | bigint | undefined): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array();
}

function numberOf(fields: Fields, number: number): bigint {
  const [value] = fields.get(number) ?? [];
  return typeof value === 'bigint' ? value : 0n;
}

function textOf(fields: Fields, number: number): string {
  return new TextDecoder().decode(bytesOf(fields.get(number)?.[0]));
}

function hexOf(fields: Fields, number: number): string {
  return Buffer.from(bytesOf(fields.get(number)?.[0])).toString('hex');
}
