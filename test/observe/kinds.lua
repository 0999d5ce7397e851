-- The names of what happened, in a row.
return {
	init = function() return "" end,
	step = function(state, event) return state .. event.name end,
	is_bad = function(state) return state == "offland" end,
}
