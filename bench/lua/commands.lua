-- Commands over REST, for devices d0 to d(DEVICES - 1), or with the PREFIX instead of d. MODE says which requests are made:
--   enqueue  PUT, for devices picked at random
--   poll     GET, for devices picked at random
--   trip     PUT, then GET for that device, then POST for the message that the GET found
local mode, devices = os.getenv('MODE'), tonumber(os.getenv('DEVICES'))
local prefix = os.getenv('PREFIX') or 'd'
local headers = { ['Authorization'] = 'Bearer ' .. os.getenv('TOKEN'), ['Content-Type'] = 'application/json' }

local enqueued = 0
-- What is to be asked next: lists that grow at one end and are used from the other.
local polls, acks = { first = 1, last = 0 }, { first = 1, last = 0 }
-- By device, the last message acknowledged: two that poll at a time get the same one.
local acknowledged = {}
trips = 0

local function push(list, item)
  list.last = list.last + 1
  list[list.last] = item
end

local function pop(list)
  local item = list[list.first]
  list[list.first] = nil
  list.first = list.first + 1
  return item
end

local function put(device)
  local body = '{"command":"set-target-temperature","messageBirthCertificate":{"tmpId":' .. device ..
    '},"data":{"speed":12.5,"direction":"clockwise","device":' .. device .. '}}'
  return wrk.format('PUT', '/producer/request/' .. prefix .. device, headers, body)
end

local function get(device)
  return wrk.format('GET', '/consumer/getLastMessage/' .. prefix .. device, headers)
end

local function acknowledge(device, id)
  return wrk.format('POST', '/consumer/request/' .. prefix .. device, headers, '{"id":' .. id .. ',"deliveryStatus":"COMPLETED"}')
end

-- One after the other, so that no two connections are at one device at a time.
local function nextDevice()
  enqueued = enqueued + 1
  return enqueued % devices
end

local function trip()
  if acks.first <= acks.last then
    trips = trips + 1
    local item = pop(acks)
    return acknowledge(item.device, item.id)
  end
  if polls.first <= polls.last then return get(pop(polls)) end
  return put(nextDevice())
end

local makers = {
  enqueue = function() return put(math.random(0, devices - 1)) end,
  poll = function() return get(math.random(0, devices - 1)) end,
  trip = trip,
}
request = makers[mode]

if mode == 'trip' then
  response = function(_, _, body)
    -- Only the answer to a PUT has a tmpId, which is the number of its device.
    local put = body:match('"tmpId":(%d+)')
    if put then return push(polls, tonumber(put)) end
    local id, device = body:match('"id":(%d+).*"device":(%d+)')
    if id and tonumber(id) > (acknowledged[device] or 0) then
      acknowledged[device] = tonumber(id)
      push(acks, { device = device, id = id })
    end
  end
end

local threads = {}
function setup(thread) table.insert(threads, thread) end

function done()
  local sum = 0
  for _, thread in ipairs(threads) do sum = sum + thread:get('trips') end
  print('trips=' .. sum)
end
