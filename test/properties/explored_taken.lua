-- How many hold it: there is only one.
return {
	init = function() return 0 end,
	step = function(holders, event) return event.name == "take" and holders + 1 or holders - 1 end,
	is_bad = function(holders) return holders > 1 end,
}
