/** Every MySQL type with values at its edges: what is sent as a parameter, and what comes back. */
import { type Json, parseJson } from '../../../../proto/json.ts';

const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('base64');
const DIGITS = `${'9'.repeat(35)}.${'1'.repeat(30)}`;

/** One value's way in and out. */
interface TypeRow {
  readonly type: string;
  readonly sent: Json;
  /** JSON text in the result; the text that was sent, quoted, when left out. */
  readonly received?: string;
  /** As results name the type, when that is not `type`. */
  readonly named?: string;
}

export const TYPE_ROWS: readonly TypeRow[] = [
  { type: 'tinyint', sent: -128, received: '-128' },
  { type: 'tinyint', sent: true, received: '1' },
  { type: 'tinyint unsigned', sent: 255, received: '255' },
  { type: 'smallint', sent: -32_768, received: '-32768' },
  { type: 'mediumint unsigned', sent: 16_777_215, received: '16777215' },
  { type: 'mediumint', sent: -8_388_608, received: '-8388608' },
  { type: 'int', sent: -2_147_483_648, received: '-2147483648' },
  { type: 'int unsigned', sent: 4_294_967_295, received: '4294967295' },
  { type: 'bigint', sent: 9_007_199_254_740_991, received: '9007199254740991' },
  { type: 'bigint', sent: '9007199254740993' },
  {
    type: 'bigint',
    sent: JSON.rawJSON('-9223372036854775808'),
    received: '"-9223372036854775808"',
  },
  {
    type: 'bigint unsigned',
    sent: JSON.rawJSON('18446744073709551615'),
    received: '"18446744073709551615"',
  },
  { type: 'decimal(65,30)', sent: JSON.rawJSON(DIGITS), received: `"${DIGITS}"`, named: 'decimal' },
  { type: 'decimal(65,30)', sent: `-${DIGITS}`, named: 'decimal' },
  { type: 'decimal(10,2)', sent: 19.9, received: '"19.90"', named: 'decimal' },
  { type: 'float', sent: 1.1, received: '1.1' },
  { type: 'float', sent: 16_777_217, received: '16777216' },
  { type: 'float', sent: 3.4028234663852886e38, received: '3.4028234663852886e+38' },
  { type: 'float', sent: -3.4028234663852886e38, received: '-3.4028234663852886e+38' },
  { type: 'float', sent: 3.4028232635611926e38, received: '3.4028233e+38' },
  { type: 'float', sent: 1.401298464324817e-45, received: '1e-45' },
  { type: 'double', sent: 0.1, received: '0.1' },
  { type: 'double', sent: 1.7976931348623157e308, received: '1.7976931348623157e+308' },
  { type: 'double', sent: 5e-324, received: '5e-324' },
  { type: 'date', sent: '2024-02-29' },
  { type: 'date', sent: '0000-00-00' },
  { type: 'date', sent: '9999-12-31' },
  { type: 'datetime', sent: '2024-02-29T23:59:59' },
  { type: 'datetime', sent: '0000-00-00', received: '"0000-00-00T00:00:00"' },
  {
    type: 'datetime(6)',
    sent: '2024-02-29 23:59:59.000001',
    received: '"2024-02-29T23:59:59.000001"',
    named: 'datetime',
  },
  {
    type: 'datetime(3)',
    sent: '2024-02-29 00:00:00',
    received: '"2024-02-29T00:00:00.000"',
    named: 'datetime',
  },
  {
    type: 'timestamp(6)',
    sent: '2024-02-29 23:59:59.5',
    received: '"2024-02-29T23:59:59.500000Z"',
    named: 'timestamp',
  },
  {
    type: 'timestamp',
    sent: { $date: '2024-02-29T23:59:59Z' },
    received: '"2024-02-29T23:59:59Z"',
  },
  {
    type: 'timestamp(3)',
    sent: { $date: '2024-03-01T01:59:59.123+02:00' },
    received: '"2024-02-29T23:59:59.123Z"',
    named: 'timestamp',
  },
  { type: 'timestamp', sent: '0000-00-00 00:00:00', received: '"0000-00-00T00:00:00"' },
  {
    type: 'timestamp(3)',
    sent: '0000-00-00 00:00:00',
    received: '"0000-00-00T00:00:00.000"',
    named: 'timestamp',
  },
  { type: 'time', sent: '838:59:59' },
  { type: 'time(6)', sent: '-838:59:58.000001', named: 'time' },
  { type: 'time', sent: '00:00:00' },
  { type: 'time(2)', sent: '25:00:00.5', received: '"25:00:00.50"', named: 'time' },
  { type: 'year', sent: 2155, received: '2155' },
  { type: 'bit(1)', sent: true, received: '1', named: 'bit' },
  {
    type: 'bit(64)',
    sent: JSON.rawJSON('18446744073709551615'),
    received: '"18446744073709551615"',
    named: 'bit',
  },
  { type: 'char(20)', sent: 'a "b" \\ é 😀', named: 'char' },
  { type: 'varchar(99)', sent: 'a\n\t\u0001\u2028 😀', named: 'varchar' },
  { type: 'varchar(9)', sent: '', named: 'varchar' },
  { type: 'text', sent: 'x'.repeat(65_535) },
  { type: 'longtext', sent: 'y'.repeat(300) },
  { type: 'binary(4)', sent: { $bytes: 'AAECAw==' }, received: '"AAECAw=="', named: 'binary' },
  {
    type: 'varbinary(300)',
    sent: { $bytes: ALL_BYTES },
    received: `"${ALL_BYTES}"`,
    named: 'varbinary',
  },
  { type: 'blob', sent: { $bytes: '' }, received: '""' },
  { type: 'longblob', sent: { $bytes: ALL_BYTES }, received: `"${ALL_BYTES}"` },
  {
    type: 'json',
    sent: parseJson('{"a":[1,12345678901234567890,0.10000000000000000001],"b":null}'),
    received: '{"a":[1,12345678901234567890,0.10000000000000000001],"b":null}',
  },
  { type: 'json', sent: '"text"', received: '"text"' },
  { type: "enum('a','b c')", sent: 'b c', named: 'enum' },
  { type: "set('x','y','z')", sent: 'x,z', named: 'set' },
  {
    type: "enum(x'61',x'ff00') character set binary",
    sent: { $bytes: '/wA=' },
    received: '"/wA="',
    named: 'enum',
  },
  {
    type: "set(x'61',x'ff') character set binary",
    sent: { $bytes: 'YSz/' },
    received: '"YSz/"',
    named: 'set',
  },
  { type: 'int', sent: null, received: 'null' },
];
