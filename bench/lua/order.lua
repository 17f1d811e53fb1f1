-- The PUT of the routing part: a JSON body of 150 bytes.
wrk.method = 'PUT'
wrk.headers['Content-Type'] = 'application/json'
wrk.body = '{"command":"set-target-temperature","priority":5,"data":{"speed":12.5,"direction":"clockwise","tags":["pump","north","building-7","maintenance-due"]}}'
