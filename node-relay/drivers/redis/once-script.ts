/** The script that runs a write and leaves its mark, in one step of the server. Spec: transactions.md §7. */
import { createHash } from 'node:crypto';

/**
 * KEYS: the mark. ARGV: what stands for the body, seconds, most bytes of a kept reply, nonce, key that encrypts,
 * key that authenticates, whether a failure undoes the mark, number of commands; then of each the number of its
 * words and the words.
 *
 * Answers `kept` with what the mark has; `done` or `failed` with the replies in RESP2, one after the other. The
 * mark is written first: a server that takes no writes refuses it before anything is done.
 */
export const ONCE_SCRIPT = `
local mark = KEYS[1]
local kept = redis.call('HMGET', mark, 'body', 'nonce', 'reply', 'seal')
if kept[1] then return {'kept', kept[1], kept[2], kept[3], kept[4]} end

local function wire(value, parts)
  local kind = type(value)
  if kind == 'number' then parts[#parts + 1] = string.format(':%.0f\\r\\n', value)
  elseif kind == 'string' then parts[#parts + 1] = '$' .. #value .. '\\r\\n' .. value .. '\\r\\n'
  elseif kind == 'boolean' then parts[#parts + 1] = value and ':1\\r\\n' or '$-1\\r\\n'
  elseif value.exact then parts[#parts + 1] = ':' .. value.exact .. '\\r\\n'
  elseif value.err then parts[#parts + 1] = '-' .. string.gsub(value.err, '[\\r\\n]', ' ') .. '\\r\\n'
  elseif value.ok then parts[#parts + 1] = '+' .. value.ok .. '\\r\\n'
  else
    parts[#parts + 1] = '*' .. #value .. '\\r\\n'
    for _, each in ipairs(value) do wire(each, parts) end
  end
end

-- Numbers of scripts are doubles: larger ones are read back as text.
local reads = {incr = 'GET', incrby = 'GET', decr = 'GET', decrby = 'GET', hincrby = 'HGET'}
local function exact(words, reply)
  if type(reply) ~= 'number' or math.abs(reply) < 2 ^ 53 then return reply end
  local read = reads[words[1]]
  if not read then return reply end
  return {exact = read == 'GET' and redis.call('GET', words[2]) or redis.call('HGET', words[2], words[3])}
end

-- SHA-1 of key and counter makes the stream, five words of 32 bits at a time.
local function encrypted(text, key)
  local blocks = {}
  for at = 0, math.ceil(#text / 20) - 1 do
    local hash = redis.sha1hex(key .. ':' .. at)
    local clear = string.sub(text, at * 20 + 1, at * 20 + 20)
    local a, b, c, d, e = struct.unpack('>I4I4I4I4I4', clear .. string.rep('\\0', 20 - #clear))
    local block = struct.pack('>i4i4i4i4i4',
      bit.bxor(a, tonumber(string.sub(hash, 1, 8), 16)), bit.bxor(b, tonumber(string.sub(hash, 9, 16), 16)),
      bit.bxor(c, tonumber(string.sub(hash, 17, 24), 16)), bit.bxor(d, tonumber(string.sub(hash, 25, 32), 16)),
      bit.bxor(e, tonumber(string.sub(hash, 33, 40), 16)))
    blocks[at + 1] = string.sub(block, 1, #clear)
  end
  return table.concat(blocks)
end

local claimed = redis.pcall('HSET', mark, 'body', ARGV[1])
if type(claimed) == 'table' then return claimed end

local at, parts, isFailed = 9, {}, false
for _ = 1, tonumber(ARGV[8]) do
  local count = tonumber(ARGV[at])
  local words = {}
  for each = 1, count do words[each] = ARGV[at + each] end
  at = at + count + 1
  local reply = exact(words, redis.pcall(unpack(words)))
  if type(reply) == 'table' and reply.err then isFailed = true end
  wire(reply, parts)
end

local text = table.concat(parts)
if isFailed and ARGV[7] == '1' then
  redis.call('DEL', mark)
  return {'failed', text}
end
redis.call('HSET', mark, 'body', ARGV[1])
if #text <= tonumber(ARGV[3]) then
  local sealed = encrypted(text, ARGV[5])
  local seal = redis.sha1hex(ARGV[6] .. redis.sha1hex(ARGV[6] .. sealed))
  redis.call('HSET', mark, 'nonce', ARGV[4], 'reply', sealed, 'seal', seal)
end
redis.call('EXPIRE', mark, ARGV[2])
return {'done', text}
`;

/**
 * KEYS: the mark. ARGV: what forestalls its write, and seconds. Answers what the mark has in place of a body; one that
 * is not there comes to be what forestalls.
 */
export const SETTLE_SCRIPT = `
local body = redis.call('HMGET', KEYS[1], 'body')[1]
if body then return body end
redis.call('HSET', KEYS[1], 'body', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return ARGV[1]
`;

/** The name under which servers remember it. */
export const ONCE_SCRIPT_SHA = createHash('sha1').update(ONCE_SCRIPT).digest('hex');
