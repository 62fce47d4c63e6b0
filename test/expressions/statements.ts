/** The statements of random programs. */

/** Each with holes, as in the grammar. */
export const STATEMENTS = [
  ...['v0 = ‹num›;', '{ const q = ‹any›; v1 += q; }', 'if (‹any›) { ‹stmt› } else { ‹stmt› }'],
  '{ let q = ‹num›; v2 = [() => q, () => q++].map((f) => f()); }',
  'for (let j = 0; j < 3; j += 1) { ‹stmt› }',
  '{ const fs = []; for (let j = 0; j < 3; j++) { fs.push(() => j++); ‹stmt› } v2 = fs.map((f) => f() + f()); }',
  ...['for (const e of [...‹arr›]) { ‹stmt› if (v0 > 3) break; }', 'var w = ‹any›; v2 = [w];'],
  'for (const [q, r] of Object.entries(‹obj›)) { v1 += q + typeof r; }',
  'for (const q in ‹obj›) { if (q === ‹str›) continue; v1 += q; }',
  ...['{ let c = 3; while (c-- > 0) { ‹stmt› } }', '{ let c = 0; do { ‹stmt› } while (++c < 2); }'],
  'switch (‹any›) { case ‹any›: ‹stmt› break; case 1: v0 = 1; default: ‹stmt› }',
  'switch (‹num›) { case 0: let q = 1; case 1: v0 = () => q; default: try { v0 = v0(); } catch { v0 = 2; } }',
  'try { ‹stmt› throw ‹any›; } catch (e) { v1 += typeof e; } finally { ‹stmt› }',
  ...['try { ‹stmt› null.x(); } catch { ‹stmt› }', 'try { return ‹any›; } finally { ‹stmt› }'],
  '(() => { outer: for (const q of [1, 2]) { for (const r of [1, 2]) { if (r > q) continue outer; if (‹bool›) break outer; v0 += q * r; } } })();',
  '(() => { l: { v0 = 1; if (‹any›) break l; ‹stmt› } })();',
  'for (const q of [1, 2, 3]) { try { if (q > 1) continue; ‹stmt› } finally { v0 = q; } }',
  ...['[v0, v1] = [‹num›, ‹str›];', '({a: v0 = 5, ...v3} = ‹obj›);', '[v0 = 1, ...v2] = ‹arr›;'],
  ...['{ function g(q) { return q + ‹num›; } v0 = g(1); }', 'v3[‹str›] = ‹any›;', 'return ‹any›;'],
  'v3.c ??= ‹any›; v3.d ||= ‹any›; v3.a &&= ‹any›;',
  ...['{ const q = 1, f = () => q + r; let r = 2; v0 = f(); }', 'v2.length = 0; v2[0] = ‹any›;'],
  'try { f2(); let late = 1; function f2() { return late; } } catch (e) { v1 += e.name; }',
  'try { throw new RangeError(‹piece›); } catch ({name, message}) { v1 += name + message; }',
  ...[
    '‹arr›.forEach((q, r) => { v1 += typeof q; ‹stmt› });',
    '{ const q = ‹any›; v2[v2.length] = q; }',
    'v3.‹name› = ‹any›;',
    'delete v3[‹str›];',
  ],
  ...[
    'for (const q of v2) { if (v2.length < 6) v2.push(‹any›); }',
    'for (let q = 0, r = ‹num›; q < 2; q++, r--) { v0 = r; ‹stmt› }',
  ],
  ...[
    'try { ‹arr›.map((e) => { throw ‹any›; }); } catch (q) { v1 += typeof q; }',
    '{ const {length} = ‹str›, [w0 = ‹any›] = ‹arr›; v0 = [length, w0]; }',
  ],
  ...[
    'for (const q in ‹arr|str›) { v1 += q; }',
    'for (var x = 0; x < 2; x++) { ‹stmt› }',
    'try { throw ‹error›(‹piece›); } catch (q) { v1 += String(q); }',
  ],
  'l1: for (const q in v3) { for (const r of ‹arr›) { if (r) continue l1; v1 += q; break l1; } }',
  'switch (typeof ‹any›) { case "number": v0 = 1; case "string": v1 = "q"; break; default: { let q = ‹any›; v2 = [q]; } case "object": ‹stmt› }',
];

/** The body of a function. */
export const BODY =
  'let v0 = ‹num›, v1 = ‹str›, v2 = [1, 2], v3 = {a: 1}, i = 0, e = 1; ‹stmt› ‹stmt› ‹stmt› return [‹any›, v0, v1, v2, v3];';
