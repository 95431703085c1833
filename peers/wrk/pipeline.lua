-- Pipelining in wrk: its every write is DEPTH requests. wrk … -s pipeline.lua URL -- DEPTH
function init(args)
	local requests = {}
	for i = 1, tonumber(args[1]) do
		requests[i] = wrk.format()
	end
	block = table.concat(requests)
end

function request()
	return block
end
