/** HTTP/1.1 taken apart for hostile servers: the lines of a reply's head, then its body by chunks or lines. RFC 9112. */
import type { Framing } from './kind.ts';

const HEAD_END = '\r\n\r\n';

/** Lines with their ends. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\n', at) + 1 || bytes.length;
    lines.push(bytes.subarray(at, end));
    at = end;
  }
  return lines;
}

/** What kinds that speak HTTP have in common. */
export const httpFraming = {
  messages(reply) {
    const head = reply.indexOf(HEAD_END) + HEAD_END.length;
    if (head < HEAD_END.length) return linesOf(reply);
    return [...linesOf(reply.subarray(0, head)), ...linesOf(reply.subarray(head))];
  },
  turnEnd(sent) {
    const end = sent.indexOf(HEAD_END);
    if (end < 0) return 0;
    const head = sent.toString('latin1', 0, end);
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    const whole = end + HEAD_END.length + length;
    return sent.length < whole ? 0 : whole;
  },
  /** The port is another one each time. */
  keyOf: (asked: Buffer) => asked.toString('latin1').replace(/^host: .*$/im, ''),
} satisfies Framing;
