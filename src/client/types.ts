/** Made by "waybill types". Do not edit it: change the endpoints, then run the command again. */
export interface paths {
    "/admin/api/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the present alerts, one for each device or address and kind, most urgent first
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/alerts/{key}/acknowledgement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Acknowledge an alert for a day, or until it stands for twice as many messages
         * @description Needs a token with the role MAN.
         */
        put: operations["acknowledgeAlert"];
        post?: never;
        /**
         * Open an acknowledged alert again
         * @description Needs a token with the role MAN.
         */
        delete: operations["reopenAlert"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the lines of the audit trail, newest first
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all clients
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listClients"];
        put?: never;
        /**
         * Create a client
         * @description Needs a token with the role MAN.
         */
        post: operations["createClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/clients/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a client
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["getClient"];
        /**
         * Update a client; omitted members stay as they are
         * @description Needs a token with the role MAN.
         */
        put: operations["updateClient"];
        post?: never;
        /**
         * Delete a client and end its tokens and API keys at once
         * @description Needs a token with the role MAN.
         */
        delete: operations["deleteClient"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/clients/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys of a client
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listClientKeys"];
        put?: never;
        /**
         * Create an API key with the rights of a client. Only this answer shows the key
         * @description Needs a token with the role MAN.
         */
        post: operations["createClientKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/clients/{id}/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an API key and end its connections at once
         * @description Needs a token with the role MAN.
         */
        delete: operations["deleteClientKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/clients/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download all clients as CSV, without their passwords
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["exportClients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/clients/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create and update the clients of a CSV file in the background, or report the changes only (dryRun)
         * @description Needs a token with the role MAN.
         */
        post: operations["importClients"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/clients/import/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the progress of an import
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["getClientImport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the connections that have logged in, oldest first
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listConnections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/connections/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a connection; its client may connect again
         * @description Needs a token with the role MAN.
         */
        delete: operations["endConnection"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/connections/refusals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List refused logins and messages since the start of the server, newest first
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listRefusals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the devices that are clients or have messages
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listDevices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/devices/{deviceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a device
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["getDevice"];
        /**
         * Replace all settings of a device; omitted and null settings get the general value
         * @description Needs a token with the role MAN.
         */
        put: operations["replaceDeviceSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/devices/{deviceId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel the pending messages of a device
         * @description Needs a token with the role MAN.
         */
        post: operations["cancelDeviceMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/devices/{deviceId}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what happened to a device, newest first
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listDeviceLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/devices/{deviceId}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the notes about a device, the newest first
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listDeviceNotes"];
        put?: never;
        /**
         * Add a note about a device
         * @description Needs a token with the role MAN.
         */
        post: operations["addDeviceNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/devices/{deviceId}/notes/{noteId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a note about a device
         * @description Needs a token with the role MAN.
         */
        delete: operations["removeDeviceNote"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/devices/{deviceId}/presence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show when a device was present
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["getDevicePresence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/devices/{deviceId}/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the oldest pending messages of a device
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/devices/{deviceId}/service": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show whether a device is out of service, and how many of its messages expire until a date
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["getDeviceService"];
        /**
         * Take a device out of service: its messages wait until a date, or until a person ends it
         * @description Needs a token with the role MAN.
         */
        put: operations["takeDeviceOutOfService"];
        post?: never;
        /**
         * Return a device to service
         * @description Needs a token with the role MAN.
         */
        delete: operations["returnDeviceToService"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/devices/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the devices by state and by what is wrong
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["countDevices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/devices/service": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the device with the id "service"
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["getDeviceWithIdService"];
        /**
         * Replace all settings of the device with the id "service"
         * @description Needs a token with the role MAN.
         */
        put: operations["replaceSettingsOfDeviceWithIdService"];
        /**
         * Take devices out of service, or return them to service, in one commit
         * @description Needs a token with the role MAN.
         */
        post: operations["changeServiceOfDevices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream changes of messages, connections, alerts, incidents and logs of devices as they happen
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/handover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what changed since a time; a text to paste if Accept is text/plain
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["getHandover"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/incident-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the thresholds of incidents, one row for each kind of alert
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listIncidentRules"];
        /**
         * Replace the thresholds of incidents; a kind that is left out has its defaults
         * @description Needs a token with the role MAN.
         */
        put: operations["replaceIncidentRules"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/incidents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the incidents, most urgent first; those that have ended, newest first
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listIncidents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/incidents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an incident with its reasons and its history
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["getIncident"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/incidents/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the conditions that belong to an incident, also those that have ended
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listIncidentMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/incidents/{id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a note to the history of an incident
         * @description Needs a token with the role MAN.
         */
        post: operations["addIncidentNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/incidents/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge incidents for a day, or until they grow
         * @description Needs a token with the role MAN.
         */
        post: operations["acknowledgeIncidents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/incidents/mute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mute incidents until a date
         * @description Needs a token with the role MAN.
         */
        post: operations["muteIncidents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/incidents/reopen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open acknowledged or muted incidents again
         * @description Needs a token with the role MAN.
         */
        post: operations["reopenIncidents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/incidents/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End incidents; conditions that last do not begin them again
         * @description Needs a token with the role MAN.
         */
        post: operations["resolveIncidents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messages, newest first
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/messages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a message with its history
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["getMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/messages/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a message that was not dispatched; with force, also one that its device may have
         * @description Needs a token with the role MAN.
         */
        post: operations["cancelMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/messages/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Return a message that is UNKNOWN to its place in the queue
         * @description Needs a token with the role MAN.
         */
        post: operations["replayMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/messages/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the command of a message again, as a new message without a birth certificate
         * @description Needs a token with the role MAN.
         */
        post: operations["resendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/messages/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the last 20 actions on many messages, newest first
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listBulkReports"];
        put?: never;
        /**
         * Cancel, replay or re-send many messages in the background, or count them only (dryRun)
         * @description Needs a token with the role MAN.
         */
        post: operations["changeMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/messages/bulk/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the progress of an action on many messages
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["getBulkReport"];
        put?: never;
        post?: never;
        /**
         * Stop an action on many messages; what is done stays
         * @description Needs a token with the role MAN.
         */
        delete: operations["stopBulk"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/messages/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count messages, for at most 50 ms and up to 10,000
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["countMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/messages/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download all messages that match, newest first
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["exportMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/messages/replayAll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Return parked messages to their queues, the oldest first. Repeat it while left is above 0
         * @description Needs a token with the role MAN.
         */
        post: operations["replayMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/messages/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a command to several devices, in one commit; a full queue refuses its own line only
         * @description Needs a token with the role MAN.
         */
        post: operations["sendToDevices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the state of the broker, with alerts
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the runs of the servers, newest first
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/saved-messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List templates, newest first
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listTemplates"];
        put?: never;
        /**
         * Create a template of a message
         * @description Needs a token with the role MAN.
         */
        post: operations["createTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/saved-messages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a template
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["getTemplate"];
        /**
         * Replace a template; omitted members get their defaults
         * @description Needs a token with the role MAN.
         */
        put: operations["replaceTemplate"];
        post?: never;
        /**
         * Delete a template
         * @description Needs a token with the role MAN.
         */
        delete: operations["deleteTemplate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/saved-messages/{id}/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the message of a template to its device
         * @description Needs a token with the role MAN.
         */
        post: operations["sendTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/saved-messages/{id}/sendToDevices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the message of a template for any device to some devices
         * @description Needs a token with the role MAN.
         */
        post: operations["sendTemplateToDevices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show counts, delivery times and pending messages over time
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["getStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List up to 8 device ids, commands or senders that contain a text
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["listSuggestions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/system": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show version, addresses, settings with their origin, disk space, and the load of the process
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["getSystem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/system/backup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a backup of all messages and clients, for "waybill db restore"
         * @description Needs a token with the role MAN.
         */
        get: operations["downloadBackup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/isClientEnabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a device id and its password
         * @description Needs no token.
         */
        post: operations["checkCredentials"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in with a device id and its password to get a token
         * @description Needs no token.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the client that the token belongs to
         * @description Needs a valid token.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/consumer/getLastMessage/{deviceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch the oldest pending command of a device
         * @description Needs a token with one of the roles DEVISE, MAN.
         */
        get: operations["getLastMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Check access without fetching a command
         * @description Needs a token with one of the roles DEVISE, MAN.
         */
        head: operations["checkQueueAccess"];
        patch?: never;
        trace?: never;
    };
    "/consumer/request/{deviceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge a command with its status, or ask for a pause
         * @description Needs a token with one of the roles DEVISE, MAN.
         */
        post: operations["acknowledgeMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the metrics as Prometheus text, or as OpenMetrics if Accept prefers it
         * @description Needs a token with one of the roles MAN, READER.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/producer/cancelMessage/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a command; with force, also one that its device may have
         * @description Needs a token with one of the roles DEVISE, MAN.
         */
        post: operations["cancelOwnMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/producer/cancelMessages/{deviceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel all own commands to a device; with role MAN, those of all clients
         * @description Needs a token with one of the roles DEVISE, MAN.
         */
        post: operations["cancelOwnMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/producer/getMessageStatus/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the status of a command
         * @description Needs a valid token.
         */
        get: operations["getMessageStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/producer/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the statuses of several own messages, in the order asked
         * @description Needs a valid token.
         */
        get: operations["listOwnMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/producer/messages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an own message with its history
         * @description Needs a valid token.
         */
        get: operations["getOwnMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/producer/replayMessage/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Return a command that is UNKNOWN to its place in the queue
         * @description Needs a token with one of the roles DEVISE, MAN.
         */
        post: operations["replayOwnMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/producer/request/{deviceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Send a command to a device
         * @description Needs a token with one of the roles DEVISE, MAN.
         */
        put: operations["sendCommand"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Acknowledgement
         * @example {
         *       "id": 42,
         *       "deliveryStatus": "COMPLETED",
         *       "result": {
         *         "litres": 12
         *       }
         *     }
         */
        Acknowledgement: {
            busySeconds?: number | null;
            deliveryStatus?: ("DELIVERED" | "COMPLETED" | "COMPLETED_WITH_ERROR") | null;
            /** @description true, here or in the query: the answer carries details; another value: ignored */
            details?: unknown;
            id?: number;
            /**
             * @description a text, cut at 500 characters: the reason in words; another value is dropped
             * @example valve stuck
             */
            reason?: unknown;
            /**
             * @description any JSON value of at most 16384 bytes: what the command returned; a longer or broken one is dropped
             * @example {
             *       "litres": 12
             *     }
             */
            result?: unknown;
        } & (unknown | {
            busySeconds: number;
            deliveryStatus?: null;
        });
        /** AcknowledgementResult */
        AcknowledgementResult: {
            busyUntilDate?: number | null;
            deliveryStatus?: components["schemas"]["DeliveryStatus"];
            /** @description only with details */
            resultDropped?: boolean;
        };
        /** Alert */
        Alert: {
            acknowledged: components["schemas"]["AlertAcknowledgement"] | null;
            address: string | null;
            command: string | null;
            count: number | null;
            deviseId: string | null;
            incidentId?: number | null;
            /**
             * @description kind of the alert, with its device or address behind a colon
             * @example FAILED:pump-1
             */
            key: string;
            /** @enum {string} */
            kind: "STORAGE_FAILED" | "DISK_NEARLY_FULL" | "CLOCK_BEHIND" | "QUEUE_NEARLY_FULL" | "PARKED" | "DEVICE_DEAF" | "ANSWERS_REFUSED" | "NOT_ACKNOWLEDGED" | "NOT_FINISHED" | "DEVICE_SILENT" | "WAITING_LONG" | "FAILED" | "LOGIN_REFUSED" | "QUEUES_OPEN";
            lastDate: number | null;
            limit: number | null;
            messageId: number | null;
            sinceDate: number | null;
            unit: ("messages" | "bytes") | null;
            value: number | null;
        };
        /** AlertAcknowledgement */
        AlertAcknowledgement: {
            by: string | null;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            date: number;
            note: string | null;
        };
        /** Alerts */
        Alerts: {
            acknowledged: number;
            items: components["schemas"]["Alert"][];
            open: number;
        };
        /** ApiKey */
        ApiKey: {
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            createdDate: number;
            /** @example metrics of the plant */
            description: string;
            expiresDate: number | null;
            id: number;
            lastUsedDate: number | null;
        };
        /** Attention */
        Attention: {
            address: string | null;
            deviseId: string | null;
            /** @enum {string} */
            kind: "STORAGE_FAILED" | "DISK_NEARLY_FULL" | "CLOCK_BEHIND" | "QUEUE_NEARLY_FULL" | "PARKED" | "DEVICE_DEAF" | "ANSWERS_REFUSED" | "NOT_ACKNOWLEDGED" | "NOT_FINISHED" | "DEVICE_SILENT" | "WAITING_LONG" | "FAILED" | "LOGIN_REFUSED" | "QUEUES_OPEN";
            limit: number | null;
            messageId: number | null;
            since: number | null;
            unit?: ("messages" | "bytes") | null;
            value: number | null;
        };
        /**
         * AuditAction
         * @enum {string}
         */
        AuditAction: "client.create" | "client.change" | "client.remove" | "client.password" | "client.import" | "key.create" | "key.remove" | "message.cancel" | "message.replay" | "message.resend" | "message.bulk" | "message.send" | "device.settings" | "device.service" | "device.note" | "template.create" | "template.change" | "template.remove" | "template.send" | "alert.acknowledge" | "alert.reopen" | "incident.acknowledge" | "incident.mute" | "incident.note" | "incident.reopen" | "incident.resolve" | "incident.rules" | "connection.end" | "backup.download" | "login.refused";
        /** AuditLine */
        AuditLine: {
            action: components["schemas"]["AuditAction"];
            address: string | null;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            date: number;
            /** @description changed fields with their new values, without secrets */
            detail: {
                [key: string]: unknown;
            };
            deviseId: string | null;
            id: number;
            keyId: number | null;
            object: string | null;
        };
        /**
         * BulkAction
         * @description CANCEL: cancel pending messages. REPLAY: return UNKNOWN ones to their queues. RESEND: send ended ones again
         * @enum {string}
         */
        BulkAction: "CANCEL" | "REPLAY" | "RESEND";
        /** BulkOrder */
        BulkOrder: {
            action: components["schemas"]["BulkAction"];
            dryRun?: boolean | null;
            filter?: components["schemas"]["MessageConditions"] | null;
            force?: boolean | null;
            idempotencyKey?: string | null;
            ids?: number[] | null;
            upToId?: number | null;
        };
        /** BulkPlan */
        BulkPlan: {
            eligible: number;
            /** @description eligible messages that their device may have */
            handedOver: number;
            /** @description false: more messages may match */
            isExact: boolean;
            matched: number;
            skipped: {
                /** @enum {string} */
                code: "unknown-message" | "not-pending" | "handed-over" | "not-unknown" | "still-pending" | "already-resent";
                count: number;
            }[];
            upToId: number | null;
        };
        /** BulkReport */
        BulkReport: {
            action: components["schemas"]["BulkAction"];
            by: string | null;
            changed: number;
            done: number;
            endedDate: number | null;
            failed: number;
            /** @description the first 100 */
            failures: {
                /** @example queue-full */
                code: string;
                messageId: number;
                /** @description also the values that the text of the error names */
                params: {
                    /** @example start */
                    command: string;
                    /** @example pump-1 */
                    deviseId: string;
                } & {
                    [key: string]: unknown;
                };
            }[];
            id: number;
            /** @description matching messages beyond the 10,000 of one action */
            left: number;
            /** @description messages of the action; grows while they are searched */
            matched: number;
            skipped: {
                /** @enum {string} */
                code: "unknown-message" | "not-pending" | "handed-over" | "not-unknown" | "still-pending" | "already-resent";
                count: number;
            }[];
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            startedDate: number;
            /** @enum {string} */
            state: "RUNNING" | "DONE" | "STOPPED";
        };
        /** CancelledMessage */
        CancelledMessage: {
            deliveryStatus: components["schemas"]["DeliveryStatus"];
            handedOver: boolean;
        };
        /** CancelledMessages */
        CancelledMessages: {
            cancelled: number[];
            handedOver: number[];
        };
        /** CancelOptions */
        CancelOptions: {
            force?: boolean | null;
        };
        /** CancelResult */
        CancelResult: {
            deliveryStatus: components["schemas"]["DeliveryStatus"];
            handedOver?: boolean;
        };
        /** CancelSelection */
        CancelSelection: {
            command?: string | null;
            force?: boolean | null;
        };
        /**
         * Cause
         * @enum {string}
         */
        Cause: "STORED" | "HANDED_OVER" | "ACKNOWLEDGED" | "SUPERSEDED" | "CANCELLED" | "CONNECTION_BROKE" | "EXPIRED" | "NOT_ACKNOWLEDGED" | "NOT_FINISHED" | "REPLAYED" | "LATE";
        /** ChangedIncidents */
        ChangedIncidents: {
            changed: number;
            failed: components["schemas"]["UnchangedIncident"][];
        };
        /** Client */
        Client: {
            /** @example pump in the cellar */
            description: string;
            /** @description device ids, and prefixes of ids ending in `*`, that the client may act for beside its own id; `*` alone: every device */
            devices?: string[];
            /** @example pump-1 */
            deviseId: string;
            id: number;
            lastLoginDate?: number | null;
            ownQueueOnly?: boolean | null;
            role: components["schemas"]["Role"];
        };
        /** ClientChange */
        ClientChange: {
            description?: string | null;
            /** @description true, here or in the query: the answer carries details; another value: ignored */
            details?: unknown;
            devices?: string[] | null;
            deviseId?: string | null;
            ownQueueOnly?: boolean | null;
            password?: string | null;
            role?: components["schemas"]["Role"] | null;
        };
        /** ClientsFile */
        ClientsFile: {
            /** @description true, here or in the query: the answer carries details; another value: ignored */
            details?: unknown;
            /** @default false */
            dryRun: boolean;
            /**
             * Format: binary
             * @description CSV in UTF-8, UTF-16 or Windows-1251 with the columns deviseId (or id, device, deviceId), password, role, description, devices, ownQueueOnly; spaces separate the entries of devices
             * @example deviseId,password
             *     pump-1,a password
             */
            file: string;
            /** @description true: new clients without a password get a random one, which only this answer shows, with details */
            generatePasswords?: boolean;
        };
        /** Connection */
        Connection: {
            /** @example 192.0.2.7 */
            address: string;
            /**
             * @description empty if the client gave none
             * @example pump-1
             */
            clientId: string;
            deviceCount?: number;
            /** @description devices whose commands the connection receives; at most 20 are listed */
            devices: string[];
            /**
             * @description device id of the client that logged in
             * @example pump-1
             */
            deviseId: string;
            id: number;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            lastPacketDate: number;
            /**
             * @description protocol of the client
             * @enum {string}
             */
            protocol: "MQTT";
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            since: number;
            subscriptions: number;
            /** @enum {string} */
            transport: "TCP" | "TLS" | "WS" | "WSS";
            /** @enum {string} */
            version: "3.1" | "3.1.1" | "5";
        };
        /** ConsumerMessage */
        ConsumerMessage: {
            /** @description only with details */
            attempt?: number;
            believerGuarantee: components["schemas"]["DeliveryGuarantee"];
            /** @example start */
            command: string;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            currentTimestamp: number;
            /**
             * @example {
             *       "speed": 1
             *     }
             */
            data: {
                [key: string]: unknown;
            };
            finishSeconds?: number | null;
            id: number;
            remainingSeconds?: number | null;
        };
        /** CreatedApiKey */
        CreatedApiKey: {
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            createdDate: number;
            /** @example metrics of the plant */
            description: string;
            expiresDate: number | null;
            id: number;
            /** @example wbk_1_y2cO3VvJm0Zl8pQ4tX7nB5rD9sK1wE6hA0gU3iF2oL8 */
            key: string;
            lastUsedDate: number | null;
        };
        /** CredentialCheck */
        CredentialCheck: {
            /** @example a password */
            password: string;
            /** @example pump-1 */
            username: string;
        };
        /** CredentialDecision */
        CredentialDecision: {
            decision: boolean;
        };
        /**
         * DeliveryGuarantee
         * @enum {string}
         */
        DeliveryGuarantee: "NO" | "RECEIPT_CONFIRMATION" | "ONLY_LAST";
        /**
         * DeliveryStatus
         * @enum {string}
         */
        DeliveryStatus: "NOT_DELIVERED" | "DELIVERED" | "COMPLETED" | "COMPLETED_WITH_ERROR" | "CANCELLED" | "UNKNOWN";
        /** Device */
        Device: {
            address?: string | null;
            blockedSinceDate?: number | null;
            busyUntilDate?: number | null;
            clientId: number | null;
            /** @example pump in the cellar */
            description?: string;
            /** @example pump-1 */
            deviseId: string;
            failed?: number;
            firstSeenDate?: number | null;
            inFlight?: components["schemas"]["Flight"] | null;
            lastDeliveryMs?: number | null;
            lastMessage: {
                /** @example start */
                command: string;
                /**
                 * @description milliseconds since 1970
                 * @example 1767225600000
                 */
                date: number;
                deliveryStatus: components["schemas"]["DeliveryStatus"];
                id: number;
            } | null;
            lastSeenDate: number | null;
            /** @description false: the device was present when its server was lost */
            lastSeenExact?: boolean;
            node?: number | null;
            oldestWaitingDate: number | null;
            pacedUntilDate?: number | null;
            parked?: number;
            pollSeconds?: number | null;
            /**
             * @description RECEIVING: a connection receives its commands. POLLING: it polls regularly. CONNECTED: its connection receives nothing. AWAY: a server saw that it was absent. UNKNOWN: no server saw whether it was present. UNSEEN: never seen
             * @enum {string}
             */
            presence?: "RECEIVING" | "POLLING" | "CONNECTED" | "AWAY" | "UNKNOWN" | "UNSEEN";
            service?: components["schemas"]["DeviceService"] | null;
            settings?: components["schemas"]["DeviceSettings"];
            sinceDate?: number | null;
            /** @enum {string} */
            state?: "ONLINE" | "RECENT" | "AWAY" | "UNSEEN";
            transport: string | null;
            usualAbsenceSeconds?: number | null;
            via?: string | null;
            waiting: number;
        };
        /** DeviceCounts */
        DeviceCounts: {
            all: number;
            away: number;
            /** @description devices with pending messages that are AWAY or UNSEEN: state=AWAY,UNSEEN&with=PENDING */
            awayPending: number;
            blocked: number;
            busy: number;
            failed: number;
            online: number;
            outOfService?: number;
            parked: number;
            pending: number;
            recent: number;
            silent: number;
            unseen: number;
        };
        /** DevicesCommand */
        DevicesCommand: {
            believerGuarantee?: components["schemas"]["DeliveryGuarantee"] | null;
            /** @example start */
            command: string;
            data?: {
                [key: string]: unknown;
            } | null;
            delaySeconds?: number | null;
            deviceIds: string[];
            finishSeconds?: number | null;
            idempotencyKey?: string | null;
            maxAttempts?: number | null;
            validSeconds?: number | null;
        };
        /** DeviceService */
        DeviceService: {
            by: string | null;
            /** @example the valve is replaced */
            reason: string;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            sinceDate: number;
            untilDate: number | null;
        };
        /** DeviceSettings */
        DeviceSettings: {
            /** @description delivered messages carry attempt, remainingSeconds and finishSeconds; null: none */
            details: boolean | null;
            /** @description alert DEVICE_SILENT when the device was not seen for this time; 0: never, in s; null: WAYBILL_EXPECTED_SECONDS */
            expectedSeconds: number | null;
            /** @description time from DELIVERED to a final status, for a message without a value of its own, in s; null: none */
            finishSeconds: number | null;
            /** @description attempts before a message is parked; 0: without end, in attempts; null: COMMON_MAX_ATTEMPTS */
            maxAttempts: number | null;
            /** @description maximum bytes of command and data of one message; a larger submit is refused, in bytes; null: none */
            maxBytes: number | null;
            /** @description status of a command after which the next one is dispatched; COMPLETED needs finishSeconds; null: none */
            nextAfter: components["schemas"]["NextAfter"] | null;
            /** @description maximum bytes of command and data of all pending messages; 0: no limit, in bytes; null: WAYBILL_QUEUE_BYTES */
            queueBytes: number | null;
            /** @description maximum pending messages, in messages; null: WAYBILL_QUEUE_LIMIT */
            queueLimit: number | null;
            /** @description least time between two commands for the device; polls are paced only by the own value, in ms; null: COMMON_SEND_MESSAGE_PERIOD */
            sendMessagePeriod: number | null;
            /** @description time for which a message without a validity of its own is dispatched, in s; null: WAYBILL_VALID_SECONDS */
            validSeconds: number | null;
        };
        /** Error */
        Error: {
            /**
             * @description reason phrase of the status
             * @example Bad Request
             */
            error: string;
            /**
             * @description what is wrong and how to mend it
             * @example "id" in the path is not valid: expected an integer.
             */
            message: string;
        };
        /** Flight */
        Flight: {
            attempt: number;
            /** @example start */
            command: string;
            id: number;
            maxAttempts: number | null;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            sinceDate: number;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            until?: number;
        };
        /** Forbidden */
        Forbidden: {
            /** @constant */
            error: "Forbidden";
        };
        /** Handover */
        Handover: {
            devices: components["schemas"]["HandoverDevices"];
            failures: components["schemas"]["HandoverFailures"];
            figures: components["schemas"]["HandoverFigures"];
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            fromDate: number;
            incidents: components["schemas"]["HandoverIncidents"];
            people: components["schemas"]["HandoverPeople"];
            server: components["schemas"]["HandoverServers"];
            service: components["schemas"]["HandoverServices"];
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            toDate: number;
        };
        /** HandoverCount */
        HandoverCount: {
            count: number;
            /** @example STARTED */
            kind: string;
        };
        /** HandoverDevice */
        HandoverDevice: {
            count: number | null;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            date: number;
            /** @example pump-1 */
            deviseId: string;
            /** @enum {string} */
            kind: "SILENT" | "FLAPPING" | "REFUSED" | "RETURNED" | "FIRST_SEEN";
            reason: string | null;
            sinceDate: number | null;
        };
        /** HandoverDevices */
        HandoverDevices: {
            /** @description numbers by kind */
            counts: components["schemas"]["HandoverCount"][];
            /** @description the first 20 */
            items: components["schemas"]["HandoverDevice"][];
            /**
             * @description path that lists all
             * @example /admin/api/incidents
             */
            link: string;
            /** @description number of all items */
            total: number;
        };
        /** HandoverFailure */
        HandoverFailure: {
            /** @description number in the time of the same length before */
            before: number;
            /** @example open */
            command: string;
            count: number;
            devices: number;
            /** @enum {string} */
            kind: "FAILED" | "PARKED" | "NOT_FINISHED";
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            lastDate: number;
            reason: string | null;
            /** @description number of them that were sent again */
            resent: number;
        };
        /** HandoverFailures */
        HandoverFailures: {
            /** @description numbers by kind */
            counts: components["schemas"]["HandoverCount"][];
            /** @description the first 20 */
            items: components["schemas"]["HandoverFailure"][];
            /**
             * @description path that lists all
             * @example /admin/api/incidents
             */
            link: string;
            /** @description number of all items */
            total: number;
        };
        /** HandoverFigure */
        HandoverFigure: {
            before: number | null;
            /** @enum {string} */
            kind: "STORED" | "COMPLETED" | "FAILED" | "MEDIAN_DELIVERY_MS";
            value: number | null;
        };
        /** HandoverFigures */
        HandoverFigures: {
            /** @description numbers by kind */
            counts: components["schemas"]["HandoverCount"][];
            /** @description the first 20 */
            items: components["schemas"]["HandoverFigure"][];
            /**
             * @description path that lists all
             * @example /admin/api/incidents
             */
            link: string;
            /** @description number of all items */
            total: number;
        };
        /** HandoverIncident */
        HandoverIncident: {
            by: string | null;
            class: number;
            devices: number;
            endedDate: number | null;
            id: number;
            /** @example FAILED:open */
            key: string;
            kind: components["schemas"]["IncidentKind"];
            messages: number;
            mutedUntilDate: number | null;
            note: string | null;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            startedDate: number;
            state: components["schemas"]["IncidentState"];
            waiting: number;
        };
        /** HandoverIncidents */
        HandoverIncidents: {
            /** @description numbers by kind */
            counts: components["schemas"]["HandoverCount"][];
            /** @description the first 20 */
            items: components["schemas"]["HandoverIncident"][];
            /**
             * @description path that lists all
             * @example /admin/api/incidents
             */
            link: string;
            /** @description number of all items */
            total: number;
        };
        /** HandoverPeople */
        HandoverPeople: {
            /** @description numbers by kind */
            counts: components["schemas"]["HandoverCount"][];
            /** @description the first 20 */
            items: components["schemas"]["HandoverPerson"][];
            /**
             * @description path that lists all
             * @example /admin/api/incidents
             */
            link: string;
            /** @description number of all items */
            total: number;
        };
        /** HandoverPerson */
        HandoverPerson: {
            action: components["schemas"]["AuditAction"] | null;
            by: string | null;
            count: number | null;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            date: number;
            /** @enum {string} */
            kind: "CHANGED" | "SIGNED_IN";
        };
        /** HandoverServer */
        HandoverServer: {
            before: string | null;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            date: number;
            /** @enum {string} */
            kind: "STORAGE_FAILED" | "DISK_NEARLY_FULL" | "CLOCK_BEHIND" | "STARTED" | "STOPPED" | "LOST" | "WITHOUT_SERVER" | "RELEASE";
            node: number | null;
            release: string | null;
            untilDate: number | null;
        };
        /** HandoverServers */
        HandoverServers: {
            /** @description numbers by kind */
            counts: components["schemas"]["HandoverCount"][];
            /** @description the first 20 */
            items: components["schemas"]["HandoverServer"][];
            /**
             * @description path that lists all
             * @example /admin/api/incidents
             */
            link: string;
            /** @description number of all items */
            total: number;
        };
        /** HandoverService */
        HandoverService: {
            by: string | null;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            date: number;
            /** @example pump-1 */
            deviseId: string;
            /** @enum {string} */
            kind: "BEGAN" | "ENDED" | "ENDS_SOON" | "LASTS_LONG" | "NOTE";
            text: string | null;
            untilDate: number | null;
        };
        /** HandoverServices */
        HandoverServices: {
            /** @description numbers by kind */
            counts: components["schemas"]["HandoverCount"][];
            /** @description the first 20 */
            items: components["schemas"]["HandoverService"][];
            /**
             * @description path that lists all
             * @example /admin/api/incidents
             */
            link: string;
            /** @description number of all items */
            total: number;
        };
        /** ImportReport */
        ImportReport: {
            changed: number;
            /** @description of a dry run with details: the lines that would change something */
            changes?: {
                /** @example pump-1 */
                deviseId: string;
                /** @enum {string} */
                effect: "CREATED" | "CHANGED";
                /** @description true: an administrator would lose the role */
                isDemotion: boolean;
                line: number;
                role: components["schemas"]["Role"];
                roleBefore: components["schemas"]["Role"] | null;
                /** @description why the id of a new client is probably wrong */
                warning?: {
                    /** @example rounded-id */
                    code: string;
                    /** @example The deviseId looks like a long number that a spreadsheet has rounded. */
                    message: string;
                };
            }[];
            created: number;
            done: number;
            /**
             * @description of the answer to the file, with details: how the file was read
             * @enum {string}
             */
            encoding?: "UTF-8" | "UTF-16" | "Windows-1251";
            errors: {
                /** @example repeated-id */
                code?: string;
                deviseId: string | null;
                line: number;
                /** @example An earlier line has this deviseId. Remove one of the lines. */
                message: string;
                /** @description values that the message names */
                params?: {
                    [key: string]: string | number | null;
                };
            }[];
            /** @description 0 for a dry run */
            id: number;
            lines: number;
            /** @description with details: the generated passwords. No later answer has them */
            passwords?: {
                /** @example pump-1 */
                deviseId: string;
                line: number;
                /** @example a password */
                password: string;
            }[];
            /** @enum {string} */
            state: "PLANNED" | "RUNNING" | "DONE" | "STOPPED";
            unchanged: number;
        };
        /** Incident */
        Incident: {
            acknowledged: components["schemas"]["IncidentAcknowledgedBy"] | null;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            changedDate: number;
            /** @description urgency; 1 is the most urgent */
            class: number;
            devices: number;
            endedDate: number | null;
            id: number;
            /**
             * @description the cause: a kind, and behind a colon its subject
             * @example FAILED:open
             */
            key: string;
            kind: components["schemas"]["IncidentKind"];
            mergedInto: number | null;
            messages: number;
            mutedUntilDate: number | null;
            reopened: number;
            /** @description kinds of its members that have not ended; after its end, of all */
            signals: ("STORAGE_FAILED" | "DISK_NEARLY_FULL" | "CLOCK_BEHIND" | "QUEUE_NEARLY_FULL" | "PARKED" | "DEVICE_DEAF" | "ANSWERS_REFUSED" | "NOT_ACKNOWLEDGED" | "NOT_FINISHED" | "DEVICE_SILENT" | "WAITING_LONG" | "FAILED" | "LOGIN_REFUSED" | "QUEUES_OPEN" | "FLAPPING")[];
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            startedDate: number;
            state: components["schemas"]["IncidentState"];
            waiting: number;
        };
        /** IncidentAcknowledgedBy */
        IncidentAcknowledgedBy: {
            by: string | null;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            date: number;
            note: string | null;
        };
        /** IncidentAcknowledgement */
        IncidentAcknowledgement: {
            ids: number[];
            note?: string | null;
        };
        /**
         * IncidentAction
         * @enum {string}
         */
        IncidentAction: "RESEND" | "REPLAY" | "SERVICE" | "PASSWORD" | "OPEN_DEVICE";
        /** IncidentDetail */
        IncidentDetail: {
            acknowledged: components["schemas"]["IncidentAcknowledgedBy"] | null;
            actions: components["schemas"]["IncidentHelp"][];
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            changedDate: number;
            /** @description urgency; 1 is the most urgent */
            class: number;
            devices: number;
            endedDate: number | null;
            id: number;
            /**
             * @description the cause: a kind, and behind a colon its subject
             * @example FAILED:open
             */
            key: string;
            kind: components["schemas"]["IncidentKind"];
            lines: components["schemas"]["IncidentLine"][];
            mergedInto: number | null;
            messages: number;
            mutedUntilDate: number | null;
            oldestDate: number | null;
            reasons: components["schemas"]["IncidentReason"][];
            reopened: number;
            /** @description kinds of its members that have not ended; after its end, of all */
            signals: ("STORAGE_FAILED" | "DISK_NEARLY_FULL" | "CLOCK_BEHIND" | "QUEUE_NEARLY_FULL" | "PARKED" | "DEVICE_DEAF" | "ANSWERS_REFUSED" | "NOT_ACKNOWLEDGED" | "NOT_FINISHED" | "DEVICE_SILENT" | "WAITING_LONG" | "FAILED" | "LOGIN_REFUSED" | "QUEUES_OPEN" | "FLAPPING")[];
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            startedDate: number;
            state: components["schemas"]["IncidentState"];
            waiting: number;
        };
        /** IncidentHelp */
        IncidentHelp: {
            action: components["schemas"]["IncidentAction"];
            body: {
                [key: string]: unknown;
            } | null;
            count: number;
            deviseId: string | null;
        };
        /**
         * IncidentKind
         * @enum {string}
         */
        IncidentKind: "STORAGE_FAILED" | "DISK_NEARLY_FULL" | "CLOCK_BEHIND" | "OUTAGE" | "DEVICE" | "AWAY" | "FAILED" | "PARKED" | "NOT_FINISHED" | "ADDRESS" | "FLAPPING" | "QUEUES_OPEN";
        /** IncidentLine */
        IncidentLine: {
            by: string | null;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            date: number;
            id: number;
            kind: components["schemas"]["IncidentLineKind"];
            text: string | null;
        };
        /**
         * IncidentLineKind
         * @enum {string}
         */
        IncidentLineKind: "STARTED" | "REOPENED" | "MERGED" | "GREW" | "REMINDED" | "UNMUTED" | "ENDED" | "ACKNOWLEDGED" | "MUTED" | "RESOLVED" | "NOTE";
        /** IncidentMember */
        IncidentMember: {
            address: string | null;
            command: string | null;
            count: number | null;
            deviseId: string | null;
            endedDate: number | null;
            /** @example FAILED:pump-1:open */
            key: string;
            /** @enum {string} */
            kind: "STORAGE_FAILED" | "DISK_NEARLY_FULL" | "CLOCK_BEHIND" | "QUEUE_NEARLY_FULL" | "PARKED" | "DEVICE_DEAF" | "ANSWERS_REFUSED" | "NOT_ACKNOWLEDGED" | "NOT_FINISHED" | "DEVICE_SILENT" | "WAITING_LONG" | "FAILED" | "LOGIN_REFUSED" | "QUEUES_OPEN" | "FLAPPING";
            messageId: number | null;
            reason: string | null;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            sinceDate: number;
        };
        /** IncidentMute */
        IncidentMute: {
            ids: number[];
            note?: string | null;
            /**
             * @description end of the mute, at most 30 days ahead
             * @example 1767225600000
             */
            untilDate: number;
        };
        /** IncidentReason */
        IncidentReason: {
            count: number;
            /** @example valve stuck */
            reason: string;
        };
        /** IncidentReopening */
        IncidentReopening: {
            ids: number[];
        };
        /** IncidentResolution */
        IncidentResolution: {
            ids: number[];
            /** @example the mechanic is on the way */
            note: string;
        };
        /** IncidentRule */
        IncidentRule: {
            end: number | null;
            isEnabled: boolean;
            /** @enum {string} */
            kind: "STORAGE_FAILED" | "DISK_NEARLY_FULL" | "CLOCK_BEHIND" | "QUEUE_NEARLY_FULL" | "PARKED" | "DEVICE_DEAF" | "ANSWERS_REFUSED" | "NOT_ACKNOWLEDGED" | "NOT_FINISHED" | "DEVICE_SILENT" | "WAITING_LONG" | "FAILED" | "LOGIN_REFUSED" | "QUEUES_OPEN" | "FLAPPING";
            minMessages: number | null;
            quietSeconds: number | null;
            start: number | null;
        };
        /** Incidents */
        Incidents: {
            acknowledged: number;
            items: components["schemas"]["Incident"][];
            muted: number;
            open: number;
        };
        /**
         * IncidentState
         * @enum {string}
         */
        IncidentState: "OPEN" | "ACKNOWLEDGED" | "MUTED" | "ENDED";
        /** LogEntry */
        LogEntry: {
            address: string | null;
            by: string | null;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            date: number;
            /**
             * @example {
             *       "seconds": 3600
             *     }
             */
            detail: {
                [key: string]: unknown;
            };
            /** @example 001795884840441-000000004-000000001-000000007 */
            id: string;
            /** @description false: the last sign of life of a server that was lost */
            isExact: boolean;
            /** @enum {string} */
            kind: "CONNECTED" | "SUBSCRIBED" | "DISCONNECTED" | "POLLS" | "POLLS_ENDED" | "REFUSED" | "FLAPPING" | "BUSY" | "DEAF" | "ANSWERS_AGAIN" | "WILL" | "OUT_OF_SERVICE" | "IN_SERVICE" | "NOTE" | "INCIDENT" | "CHANGED" | "SERVER" | "CUT";
            node: number | null;
            reason: string | null;
            transport: string | null;
        };
        /** LoginRequest */
        LoginRequest: {
            /** @example pump-1 */
            deviseId: string;
            /** @example a password */
            password: string;
        };
        /** LoginResult */
        LoginResult: {
            /** @example eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl */
            accessToken: string;
            /** @example pump-1 */
            deviseId: string;
            role: components["schemas"]["Role"];
            /** @constant */
            tokenType: "Bearer";
        };
        /** Message */
        Message: {
            attempts?: number;
            cause?: components["schemas"]["Cause"];
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            changedDate?: number;
            /** @example start */
            command: string;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            createdDate: number;
            /**
             * @example {
             *       "speed": 1
             *     }
             */
            data: {
                [key: string]: unknown;
            };
            deliveredDate: number | null;
            deliveredError: boolean;
            deliveryGuarantee: components["schemas"]["DeliveryGuarantee"];
            deliveryStatus: components["schemas"]["DeliveryStatus"];
            /** @example pump-1 */
            deviseId: string;
            id: number;
            producerDeviseId: string | null;
            resentAs?: number | null;
            senderDeviseId?: string | null;
            tmpId: number | null;
        };
        /** MessageConditions */
        MessageConditions: {
            /**
             * @description only messages that are CANCELLED or UNKNOWN for this reason
             * @enum {string}
             */
            cause?: "SUPERSEDED" | "CANCELLED" | "EXPIRED" | "NOT_ACKNOWLEDGED" | "NOT_FINISHED" | "CONNECTION_BROKE";
            /**
             * @description only messages whose last change happened at this time or later
             * @example 1767225600000
             */
            changedFrom?: number;
            /**
             * @description only messages whose last change happened before this time
             * @example 1767225600000
             */
            changedTo?: number;
            /** @example start */
            command?: string;
            /** @description only messages of this device, or of one of up to 20 devices */
            deviseId?: string | string[];
            /** @example 1767225600000 */
            from?: number;
            /** @description only messages that failed, were parked or were not finished in this incident */
            incident?: number;
            /**
             * @description FAILED: only messages that are COMPLETED_WITH_ERROR or UNKNOWN
             * @enum {string}
             */
            outcome?: "FAILED";
            /** @description true: only messages whose command was sent again; false: only the others */
            resent?: boolean;
            /**
             * @description part of the device id or of the command. ASCII letters match in any case, others as typed, in lower case and with a capital
             * @example pump
             */
            search?: string;
            /**
             * @description only messages that this client submitted
             * @example shop
             */
            senderDeviseId?: string;
            /** @enum {string} */
            status?: "NOT_DELIVERED" | "DELIVERED" | "COMPLETED" | "COMPLETED_WITH_ERROR" | "CANCELLED" | "UNKNOWN";
            /**
             * @description part of `data` as it was sent. ASCII letters match in any case, others as typed, in lower case and with a capital
             * @example "speed":3
             */
            text?: string;
            /** @example 1767225600000 */
            to?: number;
        };
        /** MessageCount */
        MessageCount: {
            count: number;
            isExact: boolean;
            searchedToDate: number | null;
        };
        /** MessageDetail */
        MessageDetail: {
            attempts: {
                /**
                 * @description milliseconds since 1970
                 * @example 1767225600000
                 */
                date: number;
                number?: number;
                /** @example SENT */
                outcome: string;
                /** @example valve stuck */
                reason?: string;
                /** @example MQTT */
                transport: string;
                until?: number | null;
            }[];
            cause?: components["schemas"]["Cause"];
            /** @example start */
            command: string;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            createdDate: number;
            /**
             * @example {
             *       "speed": 1
             *     }
             */
            data: {
                [key: string]: unknown;
            };
            dataBytes?: number;
            deliveredDate: number | null;
            deliveredError: boolean;
            deliveryGuarantee: components["schemas"]["DeliveryGuarantee"];
            deliveryStatus: components["schemas"]["DeliveryStatus"];
            /** @example pump-1 */
            deviseId: string;
            history: {
                /** @example ACKNOWLEDGED */
                cause: string;
                /**
                 * @description milliseconds since 1970
                 * @example 1767225600000
                 */
                date: number;
                deliveryStatus: components["schemas"]["DeliveryStatus"];
                deviseId: string | null;
                messageId: number | null;
                /** @example valve stuck */
                reason?: string;
            }[];
            id: number;
            idempotencyKey?: string | null;
            lateDate?: number | null;
            lateStatus?: components["schemas"]["DeliveryStatus"] | null;
            nextId?: number | null;
            previousId?: number | null;
            producerDeviseId: string | null;
            reason?: string | null;
            repeats?: number;
            resentAs?: number | null;
            resentFrom?: number | null;
            /**
             * @example {
             *       "litres": 12
             *     }
             */
            result?: unknown;
            resultDropped?: boolean;
            senderDeviseId: string | null;
            terms?: components["schemas"]["Terms"] | null;
            tmpId: number | null;
            waits: components["schemas"]["Waits"] | null;
        };
        /** MessageStatus */
        MessageStatus: {
            attempts?: number;
            cause?: components["schemas"]["Cause"];
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            date?: number;
            deliveryStatus: components["schemas"]["DeliveryStatus"];
            id?: number;
            reason?: string | null;
            /**
             * @example {
             *       "litres": 12
             *     }
             */
            result?: unknown;
            tmpId?: number | null;
            waits?: components["schemas"]["Waits"] | null;
        };
        /** NewAlertAcknowledgement */
        NewAlertAcknowledgement: {
            note?: string | null;
        };
        /** NewApiKey */
        NewApiKey: {
            description?: string | null;
            expiresDate?: number | null;
        };
        /** NewClient */
        NewClient: {
            description?: string | null;
            /** @description true, here or in the query: the answer carries details; another value: ignored */
            details?: unknown;
            devices?: string[] | null;
            /** @example pump-1 */
            deviseId: string;
            ownQueueOnly?: boolean | null;
            /**
             * @description the password, or its bcrypt hash ($2a$, $2b$ or $2y$) of cost 4 to 14
             * @example a password
             */
            password: string;
            role?: components["schemas"]["Role"] | null;
        };
        /** NewDeviceSettings */
        NewDeviceSettings: {
            /** @description delivered messages carry attempt, remainingSeconds and finishSeconds; null: none */
            details?: boolean | null;
            /** @description alert DEVICE_SILENT when the device was not seen for this time; 0: never, in s; null: WAYBILL_EXPECTED_SECONDS */
            expectedSeconds?: number | null;
            /** @description time from DELIVERED to a final status, for a message without a value of its own, in s; null: none */
            finishSeconds?: number | null;
            /** @description attempts before a message is parked; 0: without end, in attempts; null: COMMON_MAX_ATTEMPTS */
            maxAttempts?: number | null;
            /** @description maximum bytes of command and data of one message; a larger submit is refused, in bytes; null: none */
            maxBytes?: number | null;
            /** @description status of a command after which the next one is dispatched; COMPLETED needs finishSeconds; null: none */
            nextAfter?: components["schemas"]["NextAfter"] | null;
            /** @description maximum bytes of command and data of all pending messages; 0: no limit, in bytes; null: WAYBILL_QUEUE_BYTES */
            queueBytes?: number | null;
            /** @description maximum pending messages, in messages; null: WAYBILL_QUEUE_LIMIT */
            queueLimit?: number | null;
            /** @description least time between two commands for the device; polls are paced only by the own value, in ms; null: COMMON_SEND_MESSAGE_PERIOD */
            sendMessagePeriod?: number | null;
            /** @description time for which a message without a validity of its own is dispatched, in s; null: WAYBILL_VALID_SECONDS */
            validSeconds?: number | null;
        };
        /** NewIncidentNote */
        NewIncidentNote: {
            /** @example the mechanic is on the way */
            text: string;
        };
        /** NewIncidentRule */
        NewIncidentRule: {
            end?: number | null;
            isEnabled: boolean;
            /** @enum {string} */
            kind: "STORAGE_FAILED" | "DISK_NEARLY_FULL" | "CLOCK_BEHIND" | "QUEUE_NEARLY_FULL" | "PARKED" | "DEVICE_DEAF" | "ANSWERS_REFUSED" | "NOT_ACKNOWLEDGED" | "NOT_FINISHED" | "DEVICE_SILENT" | "WAITING_LONG" | "FAILED" | "LOGIN_REFUSED" | "QUEUES_OPEN" | "FLAPPING";
            minMessages?: number | null;
            quietSeconds?: number | null;
            start?: number | null;
        };
        /** NewIncidentRules */
        NewIncidentRules: {
            rules: components["schemas"]["NewIncidentRule"][];
        };
        /** NewTemplate */
        NewTemplate: {
            /** @description client with role DEVISE; null: a template for any device, which lists show with details=true only */
            clientId: number | null;
            /** @example start */
            command: string;
            data?: {
                [key: string]: unknown;
            } | null;
            deliveryGuarantee?: ("NO" | "RECEIPT_CONFIRMATION" | "ONLY_LAST") | null;
            description?: string | null;
            /** @description true, here or in the query: the answer carries details; another value: ignored */
            details?: unknown;
            finishSeconds?: number | null;
            maxAttempts?: number | null;
            validSeconds?: number | null;
        };
        /**
         * NextAfter
         * @enum {string}
         */
        NextAfter: "DELIVERED" | "COMPLETED";
        /** Note */
        Note: {
            by: string | null;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            date: number;
            id: number;
            /** @example a new valve is ordered */
            text: string;
        };
        /** Overview */
        Overview: {
            attention: components["schemas"]["Attention"][];
            connections: number;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            date: number;
            devices: {
                online: number;
                seenInHour: number;
            };
            failed: {
                completedWithError: number;
                notAcknowledged: number;
                unknown: number;
            };
            hours: components["schemas"]["Series"];
            minutes: components["schemas"]["Series"];
            oldestWaiting: {
                /**
                 * @description milliseconds since 1970
                 * @example 1767225600000
                 */
                date: number;
                /** @example pump-1 */
                deviseId: string;
                id: number;
            } | null;
            perMinute: number;
            /**
             * @description time from which the statistics have counts, in milliseconds since 1970
             * @example 1767225600000
             */
            since: number;
            waiting: number;
        };
        /** Presence */
        Presence: {
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            fromDate: number;
            /**
             * @description share of the range by state
             * @example {
             *       "RECEIVING": 0.91,
             *       "AWAY": 0.09
             *     }
             */
            shares: {
                AWAY?: number;
                CONNECTED?: number;
                POLLING?: number;
                RECEIVING?: number;
                UNKNOWN?: number;
                UNSEEN?: number;
            };
            spans: {
                address: string | null;
                /** @description number of parts that MIXED joins */
                count: number;
                /**
                 * @description milliseconds since 1970
                 * @example 1767225600000
                 */
                fromDate: number;
                node: number | null;
                reason: ("CLIENT" | "CLOSED" | "KEEP_ALIVE" | "TOO_SLOW" | "PROTOCOL_ERROR" | "TAKEN_OVER" | "ADMIN" | "ACCESS_ENDED" | "STOPPED" | "LEASE" | "POLLS_ENDED" | "SERVER_LOST") | null;
                /**
                 * @description RECEIVING: a connection receives its commands. POLLING: it polls regularly. CONNECTED: its connection receives nothing. AWAY: a server saw that it was absent. UNKNOWN: no server saw whether it was present. UNSEEN: never seen. MIXED: several parts that are too short to show
                 * @enum {string}
                 */
                state: "RECEIVING" | "POLLING" | "CONNECTED" | "AWAY" | "UNKNOWN" | "UNSEEN" | "MIXED";
                /**
                 * @description milliseconds since 1970
                 * @example 1767225600000
                 */
                toDate: number;
                transport: string | null;
            }[];
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            toDate: number;
        };
        /** Problem */
        Problem: {
            /**
             * @description name of the kind of error, for programs
             * @example client-exists
             */
            code?: string;
            /** @description what is wrong and how to mend it */
            detail: string;
            /**
             * @description values that `detail` names
             * @example {
             *       "deviseId": "pump-1"
             *     }
             */
            params?: {
                [key: string]: string | number | null;
            };
            status: number;
            /**
             * @description reason phrase of the status
             * @example Conflict
             */
            title: string;
        } & {
            [key: string]: unknown;
        };
        /** ProducerMessage */
        ProducerMessage: {
            believerGuarantee?: components["schemas"]["DeliveryGuarantee"] | null;
            /** @example start */
            command: string;
            data?: {
                [key: string]: unknown;
            } | null;
            delaySeconds?: number | null;
            /** @description true, here or in the query: the answer carries details; another value: ignored */
            details?: unknown;
            finishSeconds?: number | null;
            idempotencyKey?: string | null;
            maxAttempts?: number | null;
            messageBirthCertificate?: {
                details?: boolean | null;
                producerDeviseId?: string | null;
                tmpId?: number | null;
            } | null;
            replaces?: number | null;
            validSeconds?: number | null;
        };
        /** ProducerMessageResult */
        ProducerMessageResult: {
            deliveryStatus: components["schemas"]["DeliveryStatus"];
            id: number;
            tmpId: number | null;
        };
        /** Queue */
        Queue: {
            /** @description number of messages of each command, among the oldest 10,000; the most frequent first */
            commands: {
                /** @example start */
                command: string;
                count: number;
            }[];
            /** @description the oldest messages, in the order of the queue */
            items: components["schemas"]["Message"][];
            total: number;
        };
        /** Refusal */
        Refusal: {
            /** @example 192.0.2.7 */
            address: string;
            clientId: string | null;
            count: number;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            date: number;
            deviseId: string | null;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            firstDate: number;
            /** @example the user name or the password is wrong */
            message: string;
            /** @enum {string} */
            reason: "WRONG_CREDENTIALS" | "NO_CREDENTIALS" | "ROLE_NOT_ALLOWED" | "TOO_MANY_FAILURES" | "TOO_MANY_LOGINS" | "PROTOCOL_ERROR" | "TOO_SLOW" | "TOPIC_NOT_ALLOWED" | "MESSAGE_REFUSED";
            /** @enum {string} */
            transport: "MQTT" | "REST";
        };
        /** ReplayedMessages */
        ReplayedMessages: {
            left: number;
            replayed: number[];
            skipped: number;
        };
        /** ReplaySelection */
        ReplaySelection: {
            command?: string | null;
            deviseId?: string | null;
            from?: number | null;
            limit?: number | null;
            to?: number | null;
        };
        /** ResendOptions */
        ResendOptions: {
            /** @description true, here or in the query: the answer carries details; another value: ignored */
            details?: unknown;
            /**
             * @description true sends the command again although the message is still pending
             * @default false
             */
            force: boolean;
            idempotencyKey?: string | null;
        };
        /**
         * Role
         * @enum {string}
         */
        Role: "DEVISE" | "MAN" | "READER";
        /** Run */
        Run: {
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            aliveDate: number;
            endedDate: number | null;
            how: ("STOPPED" | "LOST") | null;
            id: number;
            node: number | null;
            /** @example 0.1.0 */
            release: string;
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            startedDate: number;
        };
        /** SendOptions */
        SendOptions: {
            /** @description true, here or in the query: the answer carries details; another value: ignored */
            details?: unknown;
            idempotencyKey?: string | null;
        };
        /** SentLine */
        SentLine: {
            code: string | null;
            /** @example pump-1 */
            deviseId: string;
            id: number | null;
            /** @description values that the text of the error names */
            params: {
                [key: string]: unknown;
            };
        };
        /** Series */
        Series: {
            completed: number[];
            failed: number[];
            /**
             * @description start of the first item, in milliseconds since 1970
             * @example 1767225600000
             */
            from: number;
            /**
             * @description length of an item in milliseconds; the last item is not complete
             * @example 60000
             */
            step: number;
            stored: number[];
        };
        /** ServiceChange */
        ServiceChange: {
            changed: number;
            unchanged: number;
        };
        /** ServiceState */
        ServiceState: {
            /** @description pending messages of the device whose validity ends until `untilDate` */
            expiring: number;
            service: components["schemas"]["DeviceService"] | null;
        };
        /** Session */
        Session: {
            /** @example pump-1 */
            deviseId: string;
            role: components["schemas"]["Role"];
        };
        /** Setting */
        Setting: {
            /** @example 8080 */
            default: string;
            env: string | null;
            flag: string | null;
            isDefault?: boolean | null;
            /** @example port to listen on; 0 for any free port */
            meaning: string;
            /**
             * @description property in the configuration file
             * @example server.port
             */
            name: string;
            /** @enum {string} */
            origin: "DEFAULT" | "FILE" | "ENVIRONMENT" | "FLAG";
            secret: boolean;
            unit: string | null;
            /**
             * @description null for a secret
             * @example 8080
             */
            value: unknown;
        };
        /** Statistics */
        Statistics: {
            /** @description messages that became CANCELLED */
            cancelled: (number | null)[];
            /** @description messages that became COMPLETED */
            completed: (number | null)[];
            /** @description messages that their devices received */
            delivered: (number | null)[];
            /** @description time from storing to delivery, in milliseconds; off by a factor of 1.8 at most */
            deliveryMs: {
                /** @description estimated */
                median: (number | null)[];
                /** @description estimated */
                p95: (number | null)[];
            };
            /** @description messages that became COMPLETED_WITH_ERROR or UNKNOWN in the step, and have that status since */
            failed: (number | null)[];
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            fromDate: number;
            /** @description largest number of pending messages in the step */
            pending: (number | null)[];
            /**
             * @description duration of a step in milliseconds
             * @example 60000
             */
            stepMs: number;
            /** @description messages stored; null: nothing was recorded in the step */
            stored: (number | null)[];
            /** @description share of the step in which the server ran; of the present step: of the part that has passed */
            up: (number | null)[];
        };
        /** StatusResult */
        StatusResult: {
            deliveryStatus: components["schemas"]["DeliveryStatus"];
        };
        /** System */
        System: {
            /** @enum {string} */
            adapter: "node" | "uws";
            counts: {
                clients: number;
                /** @description newest id - oldest id + 1 */
                messagesAtMost: number;
                templates: number;
                waiting: number;
            };
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            date: number;
            listeners: {
                /** @enum {string} */
                protocol: "http" | "https" | "mqtt" | "mqtts";
                /** @example http://127.0.0.1:8080 */
                url: string;
            }[];
            /** @example v22.12.0 */
            nodeVersion: string;
            /** @description with details: the load of the process since the last reading */
            process?: {
                commitP99Ms: number | null;
                /** @description of one CPU */
                cpuPercent: number;
                lagP99Ms: number | null;
                memoryBytes: number;
            };
            settings: components["schemas"]["Setting"][];
            /**
             * @description milliseconds since 1970
             * @example 1767225600000
             */
            startedDate: number;
            storage: {
                databaseBytes: number;
                /** @example /var/lib/waybill */
                directory: string;
                diskBytes: number | null;
                failedDate: number | null;
                freeBytes: number | null;
                logBytes: number;
            };
            /** @example 1.0.0 */
            version: string;
        };
        /** Template */
        Template: {
            clientId: number | null;
            /** @example start */
            command: string;
            /**
             * @example {
             *       "speed": 1
             *     }
             */
            data: {
                [key: string]: unknown;
            };
            deliveryGuarantee: components["schemas"]["DeliveryGuarantee"];
            /** @example start at full speed */
            description: string;
            deviseId: string | null;
            finishSeconds?: number | null;
            id: number;
            maxAttempts?: number | null;
            validSeconds?: number | null;
        };
        /** TemplateSendOptions */
        TemplateSendOptions: {
            deviceIds: string[];
            idempotencyKey?: string | null;
        };
        /** Terms */
        Terms: {
            delaySeconds: number | null;
            dueDate: number | null;
            expiresDate: number | null;
            finishDate: number | null;
            finishSeconds: number | null;
            maxAttempts: number | null;
            validSeconds: number | null;
        };
        /** Unauthorized */
        Unauthorized: {
            /** @constant */
            error: "Unauthorized";
        };
        /** UnchangedIncident */
        UnchangedIncident: {
            /** @example incident-ended */
            code: string;
            id: number;
        };
        /** Waits */
        Waits: {
            messageId: number | null;
            /** @enum {string} */
            reason: "BEHIND" | "GAP" | "DEVICE_AWAY" | "ACKNOWLEDGEMENT" | "GOING_OUT" | "BUSY" | "LATER" | "BACK_OFF" | "SERVICE";
            until?: number | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listAlerts: {
        parameters: {
            query?: {
                /** @description true: acknowledged alerts only; false: open alerts only */
                acknowledged?: boolean;
                /** @description true: the answer carries details */
                details?: boolean;
                /** @description maximum rows of a page; values above 500 mean 500 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "open": 0,
                     *       "acknowledged": 0,
                     *       "items": [
                     *         {
                     *           "key": "FAILED:pump-1",
                     *           "kind": "STORAGE_FAILED",
                     *           "deviseId": "pump-1",
                     *           "address": "192.0.2.7",
                     *           "command": "start",
                     *           "messageId": 1,
                     *           "count": 0,
                     *           "value": 0,
                     *           "limit": 0,
                     *           "unit": "messages",
                     *           "sinceDate": 1767225600000,
                     *           "lastDate": 1767225600000,
                     *           "acknowledged": {
                     *             "by": "admin",
                     *             "date": 1767225600000,
                     *             "note": "the mechanic is on the way"
                     *           },
                     *           "incidentId": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Alerts"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    acknowledgeAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "note": "the mechanic is on the way"
                 *     }
                 */
                "application/json": components["schemas"]["NewAlertAcknowledgement"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no present alert has that key */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reopenAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no present alert has that key */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                action?: components["schemas"]["AuditAction"];
                /** @description only lines with smaller ids */
                before?: number;
                /** @description only lines of this client */
                client?: string;
                from?: number;
                /** @description maximum rows of a page; values above 500 mean 500 */
                limit?: number;
                /** @description only lines about this thing: the id of a client, a device or a message */
                object?: string;
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description next page, if there is one: `<…>; rel="next"` */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "date": 1767225600000,
                     *         "deviseId": "admin",
                     *         "keyId": 1,
                     *         "address": "192.0.2.7",
                     *         "action": "client.create",
                     *         "object": "pump-1",
                     *         "detail": {}
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AuditLine"][];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listClients: {
        parameters: {
            query?: {
                /** @description true: the answer carries details */
                details?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "deviseId": "pump-1",
                     *         "role": "DEVISE",
                     *         "description": "pump in the cellar",
                     *         "devices": [
                     *           "site-1-*"
                     *         ],
                     *         "ownQueueOnly": false,
                     *         "lastLoginDate": 1767225600000
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Client"][];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createClient: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "deviseId": "pump-1",
                 *       "password": "a password",
                 *       "role": "DEVISE",
                 *       "description": "pump in the cellar",
                 *       "devices": [
                 *         "site-1-*"
                 *       ],
                 *       "ownQueueOnly": false
                 *     }
                 */
                "application/json": components["schemas"]["NewClient"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    /** @description path of what was created */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "deviseId": "pump-1",
                     *       "role": "DEVISE",
                     *       "description": "pump in the cellar",
                     *       "devices": [
                     *         "site-1-*"
                     *       ],
                     *       "ownQueueOnly": false,
                     *       "lastLoginDate": 1767225600000
                     *     }
                     */
                    "application/json": components["schemas"]["Client"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse; the `deviseId` of a new client begins or ends with white space; a new password has more than 72 bytes of UTF-8; a new password has a NUL (U+0000); the password of a new client is a bcrypt hash whose cost is not 4 to 14 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description another client has that `deviseId` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getClient: {
        parameters: {
            query?: {
                /** @description true: the answer carries details */
                details?: boolean;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "deviseId": "pump-1",
                     *       "role": "DEVISE",
                     *       "description": "pump in the cellar",
                     *       "devices": [
                     *         "site-1-*"
                     *       ],
                     *       "ownQueueOnly": false,
                     *       "lastLoginDate": 1767225600000
                     *     }
                     */
                    "application/json": components["schemas"]["Client"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no client has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "deviseId": "pump-1",
                 *       "password": "a new password",
                 *       "role": "DEVISE",
                 *       "description": "pump in the cellar",
                 *       "devices": [
                 *         "site-1-*"
                 *       ],
                 *       "ownQueueOnly": false
                 *     }
                 */
                "application/json": components["schemas"]["ClientChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "deviseId": "pump-1",
                     *       "role": "DEVISE",
                     *       "description": "pump in the cellar",
                     *       "devices": [
                     *         "site-1-*"
                     *       ],
                     *       "ownQueueOnly": false,
                     *       "lastLoginDate": 1767225600000
                     *     }
                     */
                    "application/json": components["schemas"]["Client"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse; the `deviseId` of a new client begins or ends with white space; a new password has more than 72 bytes of UTF-8; a new password has a NUL (U+0000); the new password of a client that exists is a bcrypt hash */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no client has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description another client has that `deviseId`; the change would delete the last client with role `MAN` or take the role from it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no client has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the change would delete the last client with role `MAN` or take the role from it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listClientKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "description": "metrics of the plant",
                     *         "createdDate": 1767225600000,
                     *         "lastUsedDate": 1767225600000,
                     *         "expiresDate": 1767225600000
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no client has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createClientKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "description": "metrics of the plant",
                 *       "expiresDate": 1767225600000
                 *     }
                 */
                "application/json": components["schemas"]["NewApiKey"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "key": "wbk_1_y2cO3VvJm0Zl8pQ4tX7nB5rD9sK1wE6hA0gU3iF2oL8",
                     *       "description": "metrics of the plant",
                     *       "createdDate": 1767225600000,
                     *       "lastUsedDate": 1767225600000,
                     *       "expiresDate": 1767225600000
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse; the `expiresDate` of a new API key is in the past */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no client has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the client has 100 API keys already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteClientKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                keyId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no client has that id; the client has no API key with that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportClients: {
        parameters: {
            query?: {
                /** @description true: the answer carries details */
                details?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description name of the file */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    importClients: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "file": "deviseId,password\npump-1,a password\n",
                 *       "dryRun": false,
                 *       "generatePasswords": false
                 *     }
                 */
                "multipart/form-data": components["schemas"]["ClientsFile"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description path of what was created */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 0,
                     *       "state": "PLANNED",
                     *       "lines": 0,
                     *       "done": 0,
                     *       "created": 0,
                     *       "changed": 0,
                     *       "unchanged": 0,
                     *       "errors": [
                     *         {
                     *           "line": 1,
                     *           "deviseId": "pump-1",
                     *           "message": "An earlier line has this deviseId. Remove one of the lines.",
                     *           "code": "repeated-id",
                     *           "params": {}
                     *         }
                     *       ],
                     *       "changes": [
                     *         {
                     *           "line": 1,
                     *           "deviseId": "pump-1",
                     *           "effect": "CREATED",
                     *           "roleBefore": "DEVISE",
                     *           "role": "DEVISE",
                     *           "isDemotion": false,
                     *           "warning": {
                     *             "code": "rounded-id",
                     *             "message": "The deviseId looks like a long number that a spreadsheet has rounded."
                     *           }
                     *         }
                     *       ],
                     *       "encoding": "UTF-8",
                     *       "passwords": [
                     *         {
                     *           "line": 1,
                     *           "deviseId": "pump-1",
                     *           "password": "a password"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ImportReport"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description path of what was created */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 0,
                     *       "state": "PLANNED",
                     *       "lines": 0,
                     *       "done": 0,
                     *       "created": 0,
                     *       "changed": 0,
                     *       "unchanged": 0,
                     *       "errors": [
                     *         {
                     *           "line": 1,
                     *           "deviseId": "pump-1",
                     *           "message": "An earlier line has this deviseId. Remove one of the lines.",
                     *           "code": "repeated-id",
                     *           "params": {}
                     *         }
                     *       ],
                     *       "changes": [
                     *         {
                     *           "line": 1,
                     *           "deviseId": "pump-1",
                     *           "effect": "CREATED",
                     *           "roleBefore": "DEVISE",
                     *           "role": "DEVISE",
                     *           "isDemotion": false,
                     *           "warning": {
                     *             "code": "rounded-id",
                     *             "message": "The deviseId looks like a long number that a spreadsheet has rounded."
                     *           }
                     *         }
                     *       ],
                     *       "encoding": "UTF-8",
                     *       "passwords": [
                     *         {
                     *           "line": 1,
                     *           "deviseId": "pump-1",
                     *           "password": "a password"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ImportReport"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description another import of clients is running */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getClientImport: {
        parameters: {
            query?: {
                /** @description true: the answer carries details */
                details?: boolean;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 0,
                     *       "state": "PLANNED",
                     *       "lines": 0,
                     *       "done": 0,
                     *       "created": 0,
                     *       "changed": 0,
                     *       "unchanged": 0,
                     *       "errors": [
                     *         {
                     *           "line": 1,
                     *           "deviseId": "pump-1",
                     *           "message": "An earlier line has this deviseId. Remove one of the lines.",
                     *           "code": "repeated-id",
                     *           "params": {}
                     *         }
                     *       ],
                     *       "changes": [
                     *         {
                     *           "line": 1,
                     *           "deviseId": "pump-1",
                     *           "effect": "CREATED",
                     *           "roleBefore": "DEVISE",
                     *           "role": "DEVISE",
                     *           "isDemotion": false,
                     *           "warning": {
                     *             "code": "rounded-id",
                     *             "message": "The deviseId looks like a long number that a spreadsheet has rounded."
                     *           }
                     *         }
                     *       ],
                     *       "encoding": "UTF-8",
                     *       "passwords": [
                     *         {
                     *           "line": 1,
                     *           "deviseId": "pump-1",
                     *           "password": "a password"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ImportReport"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description none of the last 20 imports of clients since the start of the server has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listConnections: {
        parameters: {
            query?: {
                after?: number;
                /** @description true: the answer carries details */
                details?: boolean;
                deviseId?: string;
                /** @description maximum rows of a page; values above 500 mean 500 */
                limit?: number;
                /** @description with details=true: a part of deviseId, clientId or address */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description next page, if there is one: `<…>; rel="next"` */
                    Link?: string;
                    /** @description with details=true: number of all connections that match */
                    "Waybill-Total"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "clientId": "pump-1",
                     *         "deviseId": "pump-1",
                     *         "devices": [
                     *           "pump-1"
                     *         ],
                     *         "address": "192.0.2.7",
                     *         "transport": "TCP",
                     *         "protocol": "MQTT",
                     *         "version": "3.1",
                     *         "since": 1767225600000,
                     *         "lastPacketDate": 1767225600000,
                     *         "subscriptions": 0,
                     *         "deviceCount": 0
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Connection"][];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    endConnection: {
        parameters: {
            query?: {
                /** @description whether the MQTT will of the client is published, as after a lost connection; publish by default */
                will?: "publish" | "discard";
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no open connection has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRefusals: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "date": 1767225600000,
                     *         "firstDate": 1767225600000,
                     *         "count": 1,
                     *         "reason": "WRONG_CREDENTIALS",
                     *         "message": "the user name or the password is wrong",
                     *         "deviseId": "pump-1",
                     *         "clientId": "pump-1",
                     *         "address": "192.0.2.7",
                     *         "transport": "MQTT"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Refusal"][];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDevices: {
        parameters: {
            query?: {
                /** @description the page begins behind this device, in the order of the list */
                after?: string;
                /** @description true adds the settings of each device, its state, its message in flight and what is wrong */
                details?: boolean;
                /** @description maximum rows of a page; values above 500 mean 500 */
                limit?: number;
                /** @description with details=true */
                order?: "asc" | "desc";
                /** @description part of the device id, with details=true also of the description */
                search?: string;
                /** @description with details=true. A list in another order than that of the ids ends after 1000 devices; lastMessage and delivery sort the first 1000 matches */
                sort?: "id" | "state" | "waiting" | "oldest" | "problem" | "lastMessage" | "lastSeen" | "description" | "delivery";
                /** @description with details=true: only devices in one of these states. ONLINE: connected. RECENT: seen within five minutes. AWAY: seen before. UNSEEN: never seen */
                state?: ("ONLINE" | "RECENT" | "AWAY" | "UNSEEN")[];
                /** @description with details=true: only devices that were not seen for this time, or never */
                unseenSeconds?: number;
                /** @description with details=true: only devices to which all of this applies. PENDING: with pending messages. BLOCKED: from the second attempt on. PARKED: with messages to replay. FAILED: with failures of a day. BUSY: asked for a pause. SILENT: overdue by its expectedSeconds, or the general value. SERVICE: out of service */
                with?: ("PENDING" | "BLOCKED" | "PARKED" | "FAILED" | "BUSY" | "SILENT" | "SERVICE")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description next page, if there is one: `<…>; rel="next"` */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "deviseId": "pump-1",
                     *         "clientId": 1,
                     *         "waiting": 0,
                     *         "oldestWaitingDate": 1767225600000,
                     *         "lastSeenDate": 1767225600000,
                     *         "transport": "MQTT",
                     *         "lastMessage": {
                     *           "id": 1,
                     *           "command": "start",
                     *           "deliveryStatus": "NOT_DELIVERED",
                     *           "date": 1767225600000
                     *         },
                     *         "settings": {
                     *           "sendMessagePeriod": 0,
                     *           "maxAttempts": 0,
                     *           "validSeconds": 1,
                     *           "finishSeconds": 1,
                     *           "nextAfter": "DELIVERED",
                     *           "details": false,
                     *           "queueLimit": 1,
                     *           "queueBytes": 0,
                     *           "maxBytes": 1,
                     *           "expectedSeconds": 0
                     *         },
                     *         "busyUntilDate": 1767225600000,
                     *         "description": "pump in the cellar",
                     *         "state": "ONLINE",
                     *         "inFlight": {
                     *           "id": 1,
                     *           "command": "start",
                     *           "attempt": 1,
                     *           "maxAttempts": 1,
                     *           "sinceDate": 1767225600000,
                     *           "until": 1767225600000
                     *         },
                     *         "blockedSinceDate": 1767225600000,
                     *         "parked": 0,
                     *         "failed": 0,
                     *         "lastDeliveryMs": 0,
                     *         "pacedUntilDate": 1767225600000,
                     *         "presence": "RECEIVING",
                     *         "sinceDate": 1767225600000,
                     *         "firstSeenDate": 1767225600000,
                     *         "lastSeenExact": false,
                     *         "address": "192.0.2.17",
                     *         "node": 1,
                     *         "via": "gateway-1",
                     *         "pollSeconds": 0,
                     *         "usualAbsenceSeconds": 18000,
                     *         "service": {
                     *           "sinceDate": 1767225600000,
                     *           "untilDate": 1767225600000,
                     *           "reason": "the valve is replaced",
                     *           "by": "irina"
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Device"][];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDevice: {
        parameters: {
            query?: {
                /** @description true adds the settings of each device, its state, its message in flight and what is wrong */
                details?: boolean;
            };
            header?: never;
            path: {
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deviseId": "pump-1",
                     *       "clientId": 1,
                     *       "waiting": 0,
                     *       "oldestWaitingDate": 1767225600000,
                     *       "lastSeenDate": 1767225600000,
                     *       "transport": "MQTT",
                     *       "lastMessage": {
                     *         "id": 1,
                     *         "command": "start",
                     *         "deliveryStatus": "NOT_DELIVERED",
                     *         "date": 1767225600000
                     *       },
                     *       "settings": {
                     *         "sendMessagePeriod": 0,
                     *         "maxAttempts": 0,
                     *         "validSeconds": 1,
                     *         "finishSeconds": 1,
                     *         "nextAfter": "DELIVERED",
                     *         "details": false,
                     *         "queueLimit": 1,
                     *         "queueBytes": 0,
                     *         "maxBytes": 1,
                     *         "expectedSeconds": 0
                     *       },
                     *       "busyUntilDate": 1767225600000,
                     *       "description": "pump in the cellar",
                     *       "state": "ONLINE",
                     *       "inFlight": {
                     *         "id": 1,
                     *         "command": "start",
                     *         "attempt": 1,
                     *         "maxAttempts": 1,
                     *         "sinceDate": 1767225600000,
                     *         "until": 1767225600000
                     *       },
                     *       "blockedSinceDate": 1767225600000,
                     *       "parked": 0,
                     *       "failed": 0,
                     *       "lastDeliveryMs": 0,
                     *       "pacedUntilDate": 1767225600000,
                     *       "presence": "RECEIVING",
                     *       "sinceDate": 1767225600000,
                     *       "firstSeenDate": 1767225600000,
                     *       "lastSeenExact": false,
                     *       "address": "192.0.2.17",
                     *       "node": 1,
                     *       "via": "gateway-1",
                     *       "pollSeconds": 0,
                     *       "usualAbsenceSeconds": 18000,
                     *       "service": {
                     *         "sinceDate": 1767225600000,
                     *         "untilDate": 1767225600000,
                     *         "reason": "the valve is replaced",
                     *         "by": "irina"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Device"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replaceDeviceSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "sendMessagePeriod": 0,
                 *       "maxAttempts": 0,
                 *       "validSeconds": 1,
                 *       "finishSeconds": 1,
                 *       "nextAfter": "DELIVERED",
                 *       "details": false,
                 *       "queueLimit": 1,
                 *       "queueBytes": 0,
                 *       "maxBytes": 1,
                 *       "expectedSeconds": 0
                 *     }
                 */
                "application/json": components["schemas"]["NewDeviceSettings"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sendMessagePeriod": 0,
                     *       "maxAttempts": 0,
                     *       "validSeconds": 1,
                     *       "finishSeconds": 1,
                     *       "nextAfter": "DELIVERED",
                     *       "details": false,
                     *       "queueLimit": 1,
                     *       "queueBytes": 0,
                     *       "maxBytes": 1,
                     *       "expectedSeconds": 0
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceSettings"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse; durations contradict each other, a message with guarantee `NO` has a finish time, `nextAfter` is `COMPLETED` without `finishSeconds`, or the end of a time out of service is not ahead, by a year at most */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelDeviceMessages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "command": "start",
                 *       "force": false
                 *     }
                 */
                "application/json": components["schemas"]["CancelSelection"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "cancelled": [
                     *         1
                     *       ],
                     *       "handedOver": [
                     *         1
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CancelledMessages"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDeviceLog: {
        parameters: {
            query?: {
                /** @description id of an entry: the list continues behind the entry */
                before?: string;
                /** @description begin of the range; default: 30 days before `to` */
                from?: number;
                /** @description only entries of these kinds */
                kind?: ("CONNECTED" | "SUBSCRIBED" | "DISCONNECTED" | "POLLS" | "POLLS_ENDED" | "REFUSED" | "FLAPPING" | "BUSY" | "DEAF" | "ANSWERS_AGAIN" | "WILL" | "OUT_OF_SERVICE" | "IN_SERVICE" | "NOTE" | "INCIDENT" | "CHANGED" | "SERVER" | "CUT")[];
                /** @description maximum rows of a page; values above 500 mean 500 */
                limit?: number;
                /** @description end of the range; default: now */
                to?: number;
            };
            header?: never;
            path: {
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description next page, if there is one: `<…>; rel="next"` */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "001795884840441-000000004-000000001-000000007",
                     *         "kind": "CONNECTED",
                     *         "date": 1767225600000,
                     *         "isExact": false,
                     *         "node": 1,
                     *         "transport": "MQTT",
                     *         "address": "192.0.2.17",
                     *         "reason": "KEEP_ALIVE",
                     *         "by": "admin",
                     *         "detail": {
                     *           "seconds": 3600
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["LogEntry"][];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; a range is empty, has more than 750 steps (statistics), 366 days (presence and log) or 31 days (hand-over), or begins at an earlier sign-in that is not known; the end of a mute is in the past, or more than 30 days ahead */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDeviceNotes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "date": 1767225600000,
                     *         "by": "irina",
                     *         "text": "a new valve is ordered"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Note"][];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addDeviceNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "a new valve is ordered"
                 *     }
                 */
                "application/json": {
                    /** @example a new valve is ordered */
                    text: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "date": 1767225600000,
                     *       "by": "irina",
                     *       "text": "a new valve is ordered"
                     *     }
                     */
                    "application/json": components["schemas"]["Note"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the device has 50 notes */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeDeviceNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deviceId: string;
                noteId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the device has no note with that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDevicePresence: {
        parameters: {
            query?: {
                /** @description begin of the range; default: a day before `to` */
                from?: number;
                /** @description end of the range; default: now */
                to?: number;
            };
            header?: never;
            path: {
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "fromDate": 1767225600000,
                     *       "toDate": 1767225600000,
                     *       "spans": [
                     *         {
                     *           "state": "RECEIVING",
                     *           "fromDate": 1767225600000,
                     *           "toDate": 1767225600000,
                     *           "transport": "MQTT",
                     *           "node": 1,
                     *           "address": "192.0.2.17",
                     *           "reason": "CLIENT",
                     *           "count": 1
                     *         }
                     *       ],
                     *       "shares": {
                     *         "RECEIVING": 0.91,
                     *         "AWAY": 0.09
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Presence"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; a range is empty, has more than 750 steps (statistics), 366 days (presence and log) or 31 days (hand-over), or begins at an earlier sign-in that is not known; the end of a mute is in the past, or more than 30 days ahead */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listQueue: {
        parameters: {
            query?: {
                /** @description maximum rows of a page; values above 500 mean 500 */
                limit?: number;
            };
            header?: never;
            path: {
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total": 0,
                     *       "commands": [
                     *         {
                     *           "command": "start",
                     *           "count": 0
                     *         }
                     *       ],
                     *       "items": [
                     *         {
                     *           "id": 1,
                     *           "deviseId": "pump-1",
                     *           "command": "start",
                     *           "deliveryStatus": "NOT_DELIVERED",
                     *           "deliveryGuarantee": "NO",
                     *           "createdDate": 1767225600000,
                     *           "deliveredDate": 1767225600000,
                     *           "tmpId": 42,
                     *           "producerDeviseId": "shop",
                     *           "deliveredError": false,
                     *           "data": {
                     *             "speed": 1
                     *           },
                     *           "cause": "STORED",
                     *           "senderDeviseId": "shop",
                     *           "changedDate": 1767225600000,
                     *           "attempts": 0,
                     *           "resentAs": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Queue"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDeviceService: {
        parameters: {
            query?: {
                /** @description date until which `expiring` counts; without it, at any time */
                untilDate?: number;
            };
            header?: never;
            path: {
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "service": {
                     *         "sinceDate": 1767225600000,
                     *         "untilDate": 1767225600000,
                     *         "reason": "the valve is replaced",
                     *         "by": "irina"
                     *       },
                     *       "expiring": 0
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceState"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    takeDeviceOutOfService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "the valve is replaced",
                 *       "untilDate": 1767225600000
                 *     }
                 */
                "application/json": {
                    /** @example the valve is replaced */
                    reason: string;
                    untilDate?: number | null;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sinceDate": 1767225600000,
                     *       "untilDate": 1767225600000,
                     *       "reason": "the valve is replaced",
                     *       "by": "irina"
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceService"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse; durations contradict each other, a message with guarantee `NO` has a finish time, `nextAfter` is `COMPLETED` without `finishSeconds`, or the end of a time out of service is not ahead, by a year at most */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    returnDeviceToService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the device to return to service is in service */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    countDevices: {
        parameters: {
            query?: {
                /** @description true adds outOfService */
                details?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "all": 0,
                     *       "online": 0,
                     *       "recent": 0,
                     *       "away": 0,
                     *       "unseen": 0,
                     *       "pending": 0,
                     *       "awayPending": 0,
                     *       "blocked": 0,
                     *       "parked": 0,
                     *       "failed": 0,
                     *       "busy": 0,
                     *       "silent": 0,
                     *       "outOfService": 0
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceCounts"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDeviceWithIdService: {
        parameters: {
            query?: {
                /** @description true adds the settings of each device, its state, its message in flight and what is wrong */
                details?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deviseId": "pump-1",
                     *       "clientId": 1,
                     *       "waiting": 0,
                     *       "oldestWaitingDate": 1767225600000,
                     *       "lastSeenDate": 1767225600000,
                     *       "transport": "MQTT",
                     *       "lastMessage": {
                     *         "id": 1,
                     *         "command": "start",
                     *         "deliveryStatus": "NOT_DELIVERED",
                     *         "date": 1767225600000
                     *       },
                     *       "settings": {
                     *         "sendMessagePeriod": 0,
                     *         "maxAttempts": 0,
                     *         "validSeconds": 1,
                     *         "finishSeconds": 1,
                     *         "nextAfter": "DELIVERED",
                     *         "details": false,
                     *         "queueLimit": 1,
                     *         "queueBytes": 0,
                     *         "maxBytes": 1,
                     *         "expectedSeconds": 0
                     *       },
                     *       "busyUntilDate": 1767225600000,
                     *       "description": "pump in the cellar",
                     *       "state": "ONLINE",
                     *       "inFlight": {
                     *         "id": 1,
                     *         "command": "start",
                     *         "attempt": 1,
                     *         "maxAttempts": 1,
                     *         "sinceDate": 1767225600000,
                     *         "until": 1767225600000
                     *       },
                     *       "blockedSinceDate": 1767225600000,
                     *       "parked": 0,
                     *       "failed": 0,
                     *       "lastDeliveryMs": 0,
                     *       "pacedUntilDate": 1767225600000,
                     *       "presence": "RECEIVING",
                     *       "sinceDate": 1767225600000,
                     *       "firstSeenDate": 1767225600000,
                     *       "lastSeenExact": false,
                     *       "address": "192.0.2.17",
                     *       "node": 1,
                     *       "via": "gateway-1",
                     *       "pollSeconds": 0,
                     *       "usualAbsenceSeconds": 18000,
                     *       "service": {
                     *         "sinceDate": 1767225600000,
                     *         "untilDate": 1767225600000,
                     *         "reason": "the valve is replaced",
                     *         "by": "irina"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Device"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replaceSettingsOfDeviceWithIdService: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "sendMessagePeriod": 0,
                 *       "maxAttempts": 0,
                 *       "validSeconds": 1,
                 *       "finishSeconds": 1,
                 *       "nextAfter": "DELIVERED",
                 *       "details": false,
                 *       "queueLimit": 1,
                 *       "queueBytes": 0,
                 *       "maxBytes": 1,
                 *       "expectedSeconds": 0
                 *     }
                 */
                "application/json": components["schemas"]["NewDeviceSettings"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sendMessagePeriod": 0,
                     *       "maxAttempts": 0,
                     *       "validSeconds": 1,
                     *       "finishSeconds": 1,
                     *       "nextAfter": "DELIVERED",
                     *       "details": false,
                     *       "queueLimit": 1,
                     *       "queueBytes": 0,
                     *       "maxBytes": 1,
                     *       "expectedSeconds": 0
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceSettings"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse; durations contradict each other, a message with guarantee `NO` has a finish time, `nextAfter` is `COMPLETED` without `finishSeconds`, or the end of a time out of service is not ahead, by a year at most */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeServiceOfDevices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "devices": [
                 *         "pump-1"
                 *       ],
                 *       "reason": "the valve is replaced",
                 *       "untilDate": 1767225600000,
                 *       "end": false
                 *     }
                 */
                "application/json": {
                    devices: string[];
                    end?: boolean | null;
                    reason?: string | null;
                    untilDate?: number | null;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "changed": 0,
                     *       "unchanged": 0
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceChange"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse; durations contradict each other, a message with guarantee `NO` has a finish time, `nextAfter` is `COMPLETED` without `finishSeconds`, or the end of a time out of service is not ahead, by a year at most */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description true adds the events of alerts and of actions on many messages, and details of changes */
                details?: boolean;
                /** @description only events of these devices; those of actions on many messages and of incidents stay. Events of type log need it */
                deviseId?: string[];
                /** @description types of the events, with commas between them: message, connection, alert, bulk, incident, log; default: message and connection, with details also alert and bulk */
                events?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the maximum number of event streams is open */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getHandover: {
        parameters: {
            query?: {
                /** @description begin of the range; `last`: the last sign-in of the caller before the present visit; default: a day before `to` */
                from?: number | "last";
                /** @description language of the text */
                language?: "en" | "ru";
                /** @description end of the range, at most 31 days after its begin; default, and for a time ahead: now */
                to?: number;
                /** @description minutes of the dates in the text east of UTC; default: those of the server */
                utcOffset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "fromDate": 1767225600000,
                     *       "toDate": 1767225600000,
                     *       "incidents": {
                     *         "total": 0,
                     *         "counts": [
                     *           {
                     *             "kind": "STARTED",
                     *             "count": 0
                     *           }
                     *         ],
                     *         "items": [
                     *           {
                     *             "kind": "STORAGE_FAILED",
                     *             "id": 1,
                     *             "key": "FAILED:open",
                     *             "state": "OPEN",
                     *             "class": 1,
                     *             "startedDate": 1767225600000,
                     *             "endedDate": 1767225600000,
                     *             "mutedUntilDate": 1767225600000,
                     *             "devices": 0,
                     *             "messages": 0,
                     *             "waiting": 0,
                     *             "by": "admin",
                     *             "note": "a mechanic is on the way"
                     *           }
                     *         ],
                     *         "link": "/admin/api/incidents"
                     *       },
                     *       "failures": {
                     *         "total": 0,
                     *         "counts": [
                     *           {
                     *             "kind": "STARTED",
                     *             "count": 0
                     *           }
                     *         ],
                     *         "items": [
                     *           {
                     *             "kind": "FAILED",
                     *             "command": "open",
                     *             "reason": "valve stuck",
                     *             "count": 0,
                     *             "resent": 0,
                     *             "devices": 0,
                     *             "before": 0,
                     *             "lastDate": 1767225600000
                     *           }
                     *         ],
                     *         "link": "/admin/api/incidents"
                     *       },
                     *       "devices": {
                     *         "total": 0,
                     *         "counts": [
                     *           {
                     *             "kind": "STARTED",
                     *             "count": 0
                     *           }
                     *         ],
                     *         "items": [
                     *           {
                     *             "kind": "SILENT",
                     *             "deviseId": "pump-1",
                     *             "date": 1767225600000,
                     *             "sinceDate": 1767225600000,
                     *             "count": 0,
                     *             "reason": "WRONG_CREDENTIALS"
                     *           }
                     *         ],
                     *         "link": "/admin/api/incidents"
                     *       },
                     *       "service": {
                     *         "total": 0,
                     *         "counts": [
                     *           {
                     *             "kind": "STARTED",
                     *             "count": 0
                     *           }
                     *         ],
                     *         "items": [
                     *           {
                     *             "kind": "BEGAN",
                     *             "deviseId": "pump-1",
                     *             "date": 1767225600000,
                     *             "untilDate": 1767225600000,
                     *             "by": "admin",
                     *             "text": "the valve is replaced"
                     *           }
                     *         ],
                     *         "link": "/admin/api/incidents"
                     *       },
                     *       "people": {
                     *         "total": 0,
                     *         "counts": [
                     *           {
                     *             "kind": "STARTED",
                     *             "count": 0
                     *           }
                     *         ],
                     *         "items": [
                     *           {
                     *             "kind": "CHANGED",
                     *             "by": "admin",
                     *             "action": "client.create",
                     *             "count": 0,
                     *             "date": 1767225600000
                     *           }
                     *         ],
                     *         "link": "/admin/api/incidents"
                     *       },
                     *       "server": {
                     *         "total": 0,
                     *         "counts": [
                     *           {
                     *             "kind": "STARTED",
                     *             "count": 0
                     *           }
                     *         ],
                     *         "items": [
                     *           {
                     *             "kind": "STORAGE_FAILED",
                     *             "date": 1767225600000,
                     *             "untilDate": 1767225600000,
                     *             "node": 0,
                     *             "release": "0.1.0",
                     *             "before": "0.1.0"
                     *           }
                     *         ],
                     *         "link": "/admin/api/incidents"
                     *       },
                     *       "figures": {
                     *         "total": 0,
                     *         "counts": [
                     *           {
                     *             "kind": "STARTED",
                     *             "count": 0
                     *           }
                     *         ],
                     *         "items": [
                     *           {
                     *             "kind": "STORED",
                     *             "value": 0,
                     *             "before": 0
                     *           }
                     *         ],
                     *         "link": "/admin/api/incidents"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Handover"];
                    "text/plain": string;
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; a range is empty, has more than 750 steps (statistics), 366 days (presence and log) or 31 days (hand-over), or begins at an earlier sign-in that is not known; the end of a mute is in the past, or more than 30 days ahead */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listIncidentRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "kind": "STORAGE_FAILED",
                     *         "isEnabled": false,
                     *         "start": 0,
                     *         "end": 0,
                     *         "quietSeconds": 0,
                     *         "minMessages": 0
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["IncidentRule"][];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replaceIncidentRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rules": [
                 *         {
                 *           "kind": "STORAGE_FAILED",
                 *           "isEnabled": false,
                 *           "start": 0,
                 *           "end": 0,
                 *           "quietSeconds": 0,
                 *           "minMessages": 0
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewIncidentRules"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "kind": "STORAGE_FAILED",
                     *         "isEnabled": false,
                     *         "start": 0,
                     *         "end": 0,
                     *         "quietSeconds": 0,
                     *         "minMessages": 0
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["IncidentRule"][];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse; a threshold of an incident rule is outside its bounds */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listIncidents: {
        parameters: {
            query?: {
                /** @description only incidents with smaller ids */
                before?: number;
                /** @description only incidents that have or had this device */
                deviseId?: string;
                from?: number;
                kind?: components["schemas"]["IncidentKind"];
                /** @description maximum rows of a page; values above 500 mean 500 */
                limit?: number;
                /** @description ENDED: incidents that have ended; default: all others */
                state?: "OPEN" | "ACKNOWLEDGED" | "MUTED" | "ENDED";
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "open": 0,
                     *       "acknowledged": 0,
                     *       "muted": 0,
                     *       "items": [
                     *         {
                     *           "id": 1,
                     *           "key": "FAILED:open",
                     *           "kind": "STORAGE_FAILED",
                     *           "state": "OPEN",
                     *           "class": 1,
                     *           "signals": [
                     *             "STORAGE_FAILED"
                     *           ],
                     *           "startedDate": 1767225600000,
                     *           "changedDate": 1767225600000,
                     *           "endedDate": 1767225600000,
                     *           "reopened": 0,
                     *           "devices": 0,
                     *           "messages": 0,
                     *           "waiting": 0,
                     *           "acknowledged": {
                     *             "by": "admin",
                     *             "date": 1767225600000,
                     *             "note": "the mechanic is on the way"
                     *           },
                     *           "mutedUntilDate": 1767225600000,
                     *           "mergedInto": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Incidents"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getIncident: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "key": "FAILED:open",
                     *       "kind": "STORAGE_FAILED",
                     *       "state": "OPEN",
                     *       "class": 1,
                     *       "signals": [
                     *         "STORAGE_FAILED"
                     *       ],
                     *       "startedDate": 1767225600000,
                     *       "changedDate": 1767225600000,
                     *       "endedDate": 1767225600000,
                     *       "reopened": 0,
                     *       "devices": 0,
                     *       "messages": 0,
                     *       "waiting": 0,
                     *       "acknowledged": {
                     *         "by": "admin",
                     *         "date": 1767225600000,
                     *         "note": "the mechanic is on the way"
                     *       },
                     *       "mutedUntilDate": 1767225600000,
                     *       "mergedInto": 1,
                     *       "oldestDate": 1767225600000,
                     *       "reasons": [
                     *         {
                     *           "reason": "valve stuck",
                     *           "count": 0
                     *         }
                     *       ],
                     *       "actions": [
                     *         {
                     *           "action": "RESEND",
                     *           "count": 0,
                     *           "deviseId": "pump-1",
                     *           "body": {}
                     *         }
                     *       ],
                     *       "lines": [
                     *         {
                     *           "id": 1,
                     *           "date": 1767225600000,
                     *           "kind": "STARTED",
                     *           "by": "admin",
                     *           "text": "pen test until noon"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["IncidentDetail"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description there is no incident with that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listIncidentMembers: {
        parameters: {
            query?: {
                /** @description the page begins after the member with this key */
                after?: string;
                /** @description maximum rows of a page; values above 500 mean 500 */
                limit?: number;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description next page, if there is one: `<…>; rel="next"` */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "key": "FAILED:pump-1:open",
                     *         "kind": "STORAGE_FAILED",
                     *         "deviseId": "pump-1",
                     *         "messageId": 1,
                     *         "command": "start",
                     *         "reason": "valve stuck",
                     *         "address": "192.0.2.7",
                     *         "sinceDate": 1767225600000,
                     *         "endedDate": 1767225600000,
                     *         "count": 0
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["IncidentMember"][];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description there is no incident with that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addIncidentNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "the mechanic is on the way"
                 *     }
                 */
                "application/json": components["schemas"]["NewIncidentNote"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "date": 1767225600000,
                     *       "kind": "STARTED",
                     *       "by": "admin",
                     *       "text": "pen test until noon"
                     *     }
                     */
                    "application/json": components["schemas"]["IncidentLine"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description there is no incident with that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    acknowledgeIncidents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ids": [
                 *         1
                 *       ],
                 *       "note": "the mechanic is on the way"
                 *     }
                 */
                "application/json": components["schemas"]["IncidentAcknowledgement"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "changed": 0,
                     *       "failed": [
                     *         {
                     *           "id": 1,
                     *           "code": "incident-ended"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedIncidents"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    muteIncidents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ids": [
                 *         1
                 *       ],
                 *       "untilDate": 1767225600000,
                 *       "note": "the mechanic is on the way"
                 *     }
                 */
                "application/json": components["schemas"]["IncidentMute"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "changed": 0,
                     *       "failed": [
                     *         {
                     *           "id": 1,
                     *           "code": "incident-ended"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedIncidents"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse; a range is empty, has more than 750 steps (statistics), 366 days (presence and log) or 31 days (hand-over), or begins at an earlier sign-in that is not known; the end of a mute is in the past, or more than 30 days ahead */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reopenIncidents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ids": [
                 *         1
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["IncidentReopening"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "changed": 0,
                     *       "failed": [
                     *         {
                     *           "id": 1,
                     *           "code": "incident-ended"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedIncidents"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resolveIncidents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ids": [
                 *         1
                 *       ],
                 *       "note": "the mechanic is on the way"
                 *     }
                 */
                "application/json": components["schemas"]["IncidentResolution"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "changed": 0,
                     *       "failed": [
                     *         {
                     *           "id": 1,
                     *           "code": "incident-ended"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedIncidents"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMessages: {
        parameters: {
            query?: {
                /** @description only messages with smaller ids */
                before?: number;
                /** @description only messages that are CANCELLED or UNKNOWN for this reason */
                cause?: "SUPERSEDED" | "CANCELLED" | "EXPIRED" | "NOT_ACKNOWLEDGED" | "NOT_FINISHED" | "CONNECTION_BROKE";
                /** @description only messages whose last change happened at this time or later */
                changedFrom?: number;
                /** @description only messages whose last change happened before this time */
                changedTo?: number;
                command?: string;
                /** @description true: the answer carries details */
                details?: boolean;
                /** @description only messages of this device, or of one of up to 20 devices */
                deviseId?: string | string[];
                from?: number;
                /** @description only messages that failed, were parked or were not finished in this incident */
                incident?: number;
                /** @description maximum rows of a page; values above 500 mean 500. A request searches for at most 15 ms, with the conditions that no index serves for 250 ms. A page with a rare command or status may be short or empty and still have a next page */
                limit?: number;
                /** @description FAILED: only messages that are COMPLETED_WITH_ERROR or UNKNOWN */
                outcome?: "FAILED";
                /** @description true: only messages whose command was sent again; false: only the others */
                resent?: boolean;
                /** @description part of the device id or of the command. ASCII letters match in any case, others as typed, in lower case and with a capital */
                search?: string;
                /** @description only messages that this client submitted */
                senderDeviseId?: string;
                status?: "NOT_DELIVERED" | "DELIVERED" | "COMPLETED" | "COMPLETED_WITH_ERROR" | "CANCELLED" | "UNKNOWN";
                /** @description part of `data` as it was sent. ASCII letters match in any case, others as typed, in lower case and with a capital */
                text?: string;
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description next page, if there is one: `<…>; rel="next"` */
                    Link?: string;
                    /** @description time down to which a search went, in milliseconds since 1970, if its page is short and not the last */
                    "Waybill-Searched-To"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "deviseId": "pump-1",
                     *         "command": "start",
                     *         "deliveryStatus": "NOT_DELIVERED",
                     *         "deliveryGuarantee": "NO",
                     *         "createdDate": 1767225600000,
                     *         "deliveredDate": 1767225600000,
                     *         "tmpId": 42,
                     *         "producerDeviseId": "shop",
                     *         "deliveredError": false,
                     *         "data": {
                     *           "speed": 1
                     *         },
                     *         "cause": "STORED",
                     *         "senderDeviseId": "shop",
                     *         "changedDate": 1767225600000,
                     *         "attempts": 0,
                     *         "resentAs": 1
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Message"][];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMessage: {
        parameters: {
            query?: {
                /** @description true: the answer carries details */
                details?: boolean;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "deviseId": "pump-1",
                     *       "command": "start",
                     *       "deliveryStatus": "NOT_DELIVERED",
                     *       "deliveryGuarantee": "NO",
                     *       "createdDate": 1767225600000,
                     *       "deliveredDate": 1767225600000,
                     *       "tmpId": 42,
                     *       "producerDeviseId": "shop",
                     *       "deliveredError": false,
                     *       "data": {
                     *         "speed": 1
                     *       },
                     *       "senderDeviseId": "shop",
                     *       "history": [
                     *         {
                     *           "date": 1767225600000,
                     *           "deliveryStatus": "NOT_DELIVERED",
                     *           "cause": "ACKNOWLEDGED",
                     *           "deviseId": "pump-1",
                     *           "messageId": 1,
                     *           "reason": "valve stuck"
                     *         }
                     *       ],
                     *       "attempts": [
                     *         {
                     *           "date": 1767225600000,
                     *           "transport": "MQTT",
                     *           "outcome": "SENT",
                     *           "reason": "valve stuck",
                     *           "number": 1,
                     *           "until": 1767225600000
                     *         }
                     *       ],
                     *       "waits": {
                     *         "reason": "BEHIND",
                     *         "messageId": 1,
                     *         "until": 1767225600000
                     *       },
                     *       "cause": "STORED",
                     *       "reason": "valve stuck",
                     *       "result": {
                     *         "litres": 12
                     *       },
                     *       "resultDropped": false,
                     *       "lateStatus": "NOT_DELIVERED",
                     *       "lateDate": 1767225600000,
                     *       "terms": {
                     *         "validSeconds": 1,
                     *         "finishSeconds": 1,
                     *         "delaySeconds": 1,
                     *         "maxAttempts": 1,
                     *         "expiresDate": 1767225600000,
                     *         "finishDate": 1767225600000,
                     *         "dueDate": 1767225600000
                     *       },
                     *       "idempotencyKey": "7c9e6679",
                     *       "repeats": 0,
                     *       "resentFrom": 1,
                     *       "resentAs": 1,
                     *       "dataBytes": 0,
                     *       "previousId": 1,
                     *       "nextId": 1
                     *     }
                     */
                    "application/json": components["schemas"]["MessageDetail"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no message has that id, it is for another device, or the client may not read it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "force": false
                 *     }
                 */
                "application/json": components["schemas"]["CancelOptions"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveryStatus": "NOT_DELIVERED",
                     *       "handedOver": false
                     *     }
                     */
                    "application/json": components["schemas"]["CancelResult"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no message has that id, it is for another device, or the client may not read it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the message to cancel or to replace was dispatched already; the body has its status in `deliveryStatus`, and the number of its attempts in `attempts`; the message has another final status already; the body names it in `deliveryStatus` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attempts?: number;
                        deliveryStatus: components["schemas"]["DeliveryStatus"];
                        /**
                         * @description reason phrase of the status
                         * @example Bad Request
                         */
                        error: string;
                        /**
                         * @description what is wrong and how to mend it
                         * @example "id" in the path is not valid: expected an integer.
                         */
                        message: string;
                    };
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "details": false
                 *     }
                 */
                "application/json": {
                    /** @description true: the answer carries details */
                    details?: boolean;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveryStatus": "NOT_DELIVERED"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResult"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no message has that id, it is for another device, or the client may not read it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the message to replay is not `UNKNOWN`, or has the guarantee `NO`; the validity of the message to replay is over */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the device has the maximum number of pending messages, or of their bytes; with `?details=true` the body has `waiting`, `limit`, `bytes` and `limitBytes` */
            429: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resendMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "force": false,
                 *       "idempotencyKey": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
                 *     }
                 */
                "application/json": components["schemas"]["ResendOptions"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description `true`: the idempotency key was used before, and nothing was stored */
                    "Idempotency-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "tmpId": 42,
                     *       "deliveryStatus": "NOT_DELIVERED"
                     *     }
                     */
                    "application/json": components["schemas"]["ProducerMessageResult"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no message has that id, it is for another device, or the client may not read it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the message to send again is still pending, and `force` is not true */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit; command and data of a message have more bytes than `maxBytes` of its device */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the idempotency key was used with other content */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the device has the maximum number of pending messages, or of their bytes; with `?details=true` the body has `waiting`, `limit`, `bytes` and `limitBytes` */
            429: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listBulkReports: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "action": "CANCEL",
                     *         "state": "RUNNING",
                     *         "matched": 0,
                     *         "left": 0,
                     *         "done": 0,
                     *         "changed": 0,
                     *         "skipped": [
                     *           {
                     *             "code": "unknown-message",
                     *             "count": 1
                     *           }
                     *         ],
                     *         "failed": 0,
                     *         "failures": [
                     *           {
                     *             "messageId": 1,
                     *             "code": "queue-full",
                     *             "params": {
                     *               "deviseId": "pump-1",
                     *               "command": "start"
                     *             }
                     *           }
                     *         ],
                     *         "by": "admin",
                     *         "startedDate": 1767225600000,
                     *         "endedDate": 1767225600000
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["BulkReport"][];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeMessages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "CANCEL",
                 *       "ids": [
                 *         1
                 *       ],
                 *       "filter": {
                 *         "deviseId": "pump-1",
                 *         "search": "pump",
                 *         "text": "\"speed\":3",
                 *         "outcome": "FAILED",
                 *         "changedFrom": 1767225600000,
                 *         "changedTo": 1767225600000,
                 *         "resent": false,
                 *         "incident": 1,
                 *         "status": "NOT_DELIVERED",
                 *         "cause": "SUPERSEDED",
                 *         "command": "start",
                 *         "senderDeviseId": "shop",
                 *         "from": 1767225600000,
                 *         "to": 1767225600000
                 *       },
                 *       "upToId": 0,
                 *       "force": false,
                 *       "dryRun": false,
                 *       "idempotencyKey": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
                 *     }
                 */
                "application/json": components["schemas"]["BulkOrder"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description `true`: the idempotency key was used before, and nothing was stored */
                    "Idempotency-Replayed"?: string;
                    /** @description path of what was created */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "matched": 0,
                     *       "isExact": false,
                     *       "eligible": 0,
                     *       "handedOver": 0,
                     *       "skipped": [
                     *         {
                     *           "code": "unknown-message",
                     *           "count": 1
                     *         }
                     *       ],
                     *       "upToId": 1
                     *     }
                     */
                    "application/json": components["schemas"]["BulkPlan"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description `true`: the idempotency key was used before, and nothing was stored */
                    "Idempotency-Replayed"?: string;
                    /** @description path of what was created */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "action": "CANCEL",
                     *       "state": "RUNNING",
                     *       "matched": 0,
                     *       "left": 0,
                     *       "done": 0,
                     *       "changed": 0,
                     *       "skipped": [
                     *         {
                     *           "code": "unknown-message",
                     *           "count": 1
                     *         }
                     *       ],
                     *       "failed": 0,
                     *       "failures": [
                     *         {
                     *           "messageId": 1,
                     *           "code": "queue-full",
                     *           "params": {
                     *             "deviseId": "pump-1",
                     *             "command": "start"
                     *           }
                     *         }
                     *       ],
                     *       "by": "admin",
                     *       "startedDate": 1767225600000,
                     *       "endedDate": 1767225600000
                     *     }
                     */
                    "application/json": components["schemas"]["BulkReport"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description another action on many messages is running */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the idempotency key was used with other content */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getBulkReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "action": "CANCEL",
                     *       "state": "RUNNING",
                     *       "matched": 0,
                     *       "left": 0,
                     *       "done": 0,
                     *       "changed": 0,
                     *       "skipped": [
                     *         {
                     *           "code": "unknown-message",
                     *           "count": 1
                     *         }
                     *       ],
                     *       "failed": 0,
                     *       "failures": [
                     *         {
                     *           "messageId": 1,
                     *           "code": "queue-full",
                     *           "params": {
                     *             "deviseId": "pump-1",
                     *             "command": "start"
                     *           }
                     *         }
                     *       ],
                     *       "by": "admin",
                     *       "startedDate": 1767225600000,
                     *       "endedDate": 1767225600000
                     *     }
                     */
                    "application/json": components["schemas"]["BulkReport"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description none of the last 20 actions on many messages since the start of the server has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    stopBulk: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "action": "CANCEL",
                     *       "state": "RUNNING",
                     *       "matched": 0,
                     *       "left": 0,
                     *       "done": 0,
                     *       "changed": 0,
                     *       "skipped": [
                     *         {
                     *           "code": "unknown-message",
                     *           "count": 1
                     *         }
                     *       ],
                     *       "failed": 0,
                     *       "failures": [
                     *         {
                     *           "messageId": 1,
                     *           "code": "queue-full",
                     *           "params": {
                     *             "deviseId": "pump-1",
                     *             "command": "start"
                     *           }
                     *         }
                     *       ],
                     *       "by": "admin",
                     *       "startedDate": 1767225600000,
                     *       "endedDate": 1767225600000
                     *     }
                     */
                    "application/json": components["schemas"]["BulkReport"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description none of the last 20 actions on many messages since the start of the server has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    countMessages: {
        parameters: {
            query?: {
                /** @description only messages that are CANCELLED or UNKNOWN for this reason */
                cause?: "SUPERSEDED" | "CANCELLED" | "EXPIRED" | "NOT_ACKNOWLEDGED" | "NOT_FINISHED" | "CONNECTION_BROKE";
                /** @description only messages whose last change happened at this time or later */
                changedFrom?: number;
                /** @description only messages whose last change happened before this time */
                changedTo?: number;
                command?: string;
                /** @description only messages of this device, or of one of up to 20 devices */
                deviseId?: string | string[];
                from?: number;
                /** @description only messages that failed, were parked or were not finished in this incident */
                incident?: number;
                /** @description FAILED: only messages that are COMPLETED_WITH_ERROR or UNKNOWN */
                outcome?: "FAILED";
                /** @description true: only messages whose command was sent again; false: only the others */
                resent?: boolean;
                /** @description part of the device id or of the command. ASCII letters match in any case, others as typed, in lower case and with a capital */
                search?: string;
                /** @description only messages that this client submitted */
                senderDeviseId?: string;
                status?: "NOT_DELIVERED" | "DELIVERED" | "COMPLETED" | "COMPLETED_WITH_ERROR" | "CANCELLED" | "UNKNOWN";
                /** @description part of `data` as it was sent. ASCII letters match in any case, others as typed, in lower case and with a capital */
                text?: string;
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 0,
                     *       "isExact": false,
                     *       "searchedToDate": 1767225600000
                     *     }
                     */
                    "application/json": components["schemas"]["MessageCount"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportMessages: {
        parameters: {
            query: {
                /** @description only messages that are CANCELLED or UNKNOWN for this reason */
                cause?: "SUPERSEDED" | "CANCELLED" | "EXPIRED" | "NOT_ACKNOWLEDGED" | "NOT_FINISHED" | "CONNECTION_BROKE";
                /** @description only messages whose last change happened at this time or later */
                changedFrom?: number;
                /** @description only messages whose last change happened before this time */
                changedTo?: number;
                command?: string;
                /** @description only messages of this device, or of one of up to 20 devices */
                deviseId?: string | string[];
                /** @description csv for spreadsheets; jsonl: a line of JSON for each message */
                format: "csv" | "jsonl";
                from?: number;
                /** @description only messages with one of these ids */
                id?: number[];
                /** @description only messages that failed, were parked or were not finished in this incident */
                incident?: number;
                /** @description FAILED: only messages that are COMPLETED_WITH_ERROR or UNKNOWN */
                outcome?: "FAILED";
                /** @description true: only messages whose command was sent again; false: only the others */
                resent?: boolean;
                /** @description part of the device id or of the command. ASCII letters match in any case, others as typed, in lower case and with a capital */
                search?: string;
                /** @description only messages that this client submitted */
                senderDeviseId?: string;
                status?: "NOT_DELIVERED" | "DELIVERED" | "COMPLETED" | "COMPLETED_WITH_ERROR" | "CANCELLED" | "UNKNOWN";
                /** @description part of `data` as it was sent. ASCII letters match in any case, others as typed, in lower case and with a capital */
                text?: string;
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description name of the file */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description two exports of messages are being downloaded */
            409: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayMessages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "deviseId": "pump-1",
                 *       "command": "start",
                 *       "from": 1767225600000,
                 *       "to": 1767225600000,
                 *       "limit": 1
                 *     }
                 */
                "application/json": components["schemas"]["ReplaySelection"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "replayed": [
                     *         1
                     *       ],
                     *       "left": 0,
                     *       "skipped": 0
                     *     }
                     */
                    "application/json": components["schemas"]["ReplayedMessages"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sendToDevices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "deviceIds": [
                 *         "pump-1"
                 *       ],
                 *       "command": "start",
                 *       "believerGuarantee": "NO",
                 *       "data": {
                 *         "speed": 1
                 *       },
                 *       "validSeconds": 1,
                 *       "finishSeconds": 1,
                 *       "delaySeconds": 1,
                 *       "maxAttempts": 1,
                 *       "idempotencyKey": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
                 *     }
                 */
                "application/json": components["schemas"]["DevicesCommand"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "deviseId": "pump-1",
                     *         "id": 1,
                     *         "code": "queue-full",
                     *         "params": {}
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SentLine"][];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse; durations contradict each other, a message with guarantee `NO` has a finish time, `nextAfter` is `COMPLETED` without `finishSeconds`, or the end of a time out of service is not ahead, by a year at most */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the idempotency key was used with other content */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOverview: {
        parameters: {
            query?: {
                /** @description true adds `unit` to `attention` */
                details?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "date": 1767225600000,
                     *       "since": 1767225600000,
                     *       "devices": {
                     *         "online": 0,
                     *         "seenInHour": 0
                     *       },
                     *       "connections": 0,
                     *       "waiting": 0,
                     *       "oldestWaiting": {
                     *         "id": 1,
                     *         "deviseId": "pump-1",
                     *         "date": 1767225600000
                     *       },
                     *       "failed": {
                     *         "completedWithError": 0,
                     *         "unknown": 0,
                     *         "notAcknowledged": 0
                     *       },
                     *       "perMinute": 0,
                     *       "minutes": {
                     *         "from": 1767225600000,
                     *         "step": 60000,
                     *         "stored": [
                     *           0
                     *         ],
                     *         "completed": [
                     *           0
                     *         ],
                     *         "failed": [
                     *           0
                     *         ]
                     *       },
                     *       "hours": {
                     *         "from": 1767225600000,
                     *         "step": 60000,
                     *         "stored": [
                     *           0
                     *         ],
                     *         "completed": [
                     *           0
                     *         ],
                     *         "failed": [
                     *           0
                     *         ]
                     *       },
                     *       "attention": [
                     *         {
                     *           "kind": "STORAGE_FAILED",
                     *           "since": 1767225600000,
                     *           "deviseId": "pump-1",
                     *           "messageId": 1,
                     *           "address": "192.0.2.7",
                     *           "value": 0,
                     *           "limit": 0,
                     *           "unit": "messages"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Overview"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description begin of the range; default: a day before `to` */
                from?: number;
                /** @description maximum rows of a page; values above 500 mean 500 */
                limit?: number;
                /** @description end of the range; default: now */
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "node": 0,
                     *         "release": "0.1.0",
                     *         "startedDate": 1767225600000,
                     *         "aliveDate": 1767225600000,
                     *         "endedDate": 1767225600000,
                     *         "how": "STOPPED"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Run"][];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; a range is empty, has more than 750 steps (statistics), 366 days (presence and log) or 31 days (hand-over), or begins at an earlier sign-in that is not known; the end of a mute is in the past, or more than 30 days ahead */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTemplates: {
        parameters: {
            query?: {
                clientId?: number;
                /** @description true: the answer carries details */
                details?: boolean;
                deviseId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "clientId": 1,
                     *         "deviseId": "pump-1",
                     *         "description": "start at full speed",
                     *         "command": "start",
                     *         "deliveryGuarantee": "NO",
                     *         "data": {
                     *           "speed": 1
                     *         },
                     *         "validSeconds": 1,
                     *         "finishSeconds": 1,
                     *         "maxAttempts": 1
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Template"][];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clientId": 1,
                 *       "description": "pump in the cellar",
                 *       "command": "start",
                 *       "deliveryGuarantee": "NO",
                 *       "data": {
                 *         "speed": 1
                 *       },
                 *       "validSeconds": 1,
                 *       "finishSeconds": 1,
                 *       "maxAttempts": 1
                 *     }
                 */
                "application/json": components["schemas"]["NewTemplate"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    /** @description path of what was created */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "clientId": 1,
                     *       "deviseId": "pump-1",
                     *       "description": "start at full speed",
                     *       "command": "start",
                     *       "deliveryGuarantee": "NO",
                     *       "data": {
                     *         "speed": 1
                     *       },
                     *       "validSeconds": 1,
                     *       "finishSeconds": 1,
                     *       "maxAttempts": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse; durations contradict each other, a message with guarantee `NO` has a finish time, `nextAfter` is `COMPLETED` without `finishSeconds`, or the end of a time out of service is not ahead, by a year at most; the client of a new template has another role than `DEVISE` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no client has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTemplate: {
        parameters: {
            query?: {
                /** @description true: the answer carries details */
                details?: boolean;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "clientId": 1,
                     *       "deviseId": "pump-1",
                     *       "description": "start at full speed",
                     *       "command": "start",
                     *       "deliveryGuarantee": "NO",
                     *       "data": {
                     *         "speed": 1
                     *       },
                     *       "validSeconds": 1,
                     *       "finishSeconds": 1,
                     *       "maxAttempts": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no template has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replaceTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clientId": 1,
                 *       "description": "pump in the cellar",
                 *       "command": "start",
                 *       "deliveryGuarantee": "NO",
                 *       "data": {
                 *         "speed": 1
                 *       },
                 *       "validSeconds": 1,
                 *       "finishSeconds": 1,
                 *       "maxAttempts": 1
                 *     }
                 */
                "application/json": components["schemas"]["NewTemplate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "clientId": 1,
                     *       "deviseId": "pump-1",
                     *       "description": "start at full speed",
                     *       "command": "start",
                     *       "deliveryGuarantee": "NO",
                     *       "data": {
                     *         "speed": 1
                     *       },
                     *       "validSeconds": 1,
                     *       "finishSeconds": 1,
                     *       "maxAttempts": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse; durations contradict each other, a message with guarantee `NO` has a finish time, `nextAfter` is `COMPLETED` without `finishSeconds`, or the end of a time out of service is not ahead, by a year at most; the client of a new template has another role than `DEVISE` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no template has that id; no client has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no template has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sendTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "idempotencyKey": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
                 *     }
                 */
                "application/json": components["schemas"]["SendOptions"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description `true`: the idempotency key was used before, and nothing was stored */
                    "Idempotency-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "tmpId": 42,
                     *       "deliveryStatus": "NOT_DELIVERED"
                     *     }
                     */
                    "application/json": components["schemas"]["ProducerMessageResult"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no template has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit; command and data of a message have more bytes than `maxBytes` of its device */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the idempotency key was used with other content */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the device has the maximum number of pending messages, or of their bytes; with `?details=true` the body has `waiting`, `limit`, `bytes` and `limitBytes` */
            429: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sendTemplateToDevices: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "deviceIds": [
                 *         "pump-1"
                 *       ],
                 *       "idempotencyKey": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
                 *     }
                 */
                "application/json": components["schemas"]["TemplateSendOptions"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "deviseId": "pump-1",
                     *         "id": 1,
                     *         "code": "queue-full",
                     *         "params": {}
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SentLine"][];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no template has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the idempotency key was used with other content */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getStatistics: {
        parameters: {
            query?: {
                /** @description counts the newest 10000 messages of this device */
                deviseId?: string;
                /** @description a time in the first step; default: a day before `to` */
                from?: number;
                /** @description milliseconds of one step; at most 750 steps. Default: the smallest step that has data and is not too fine for the range */
                step?: 60000 | 900000 | 3600000 | 21600000;
                /** @description end of the range; default: now */
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "fromDate": 1767225600000,
                     *       "stepMs": 60000,
                     *       "stored": [
                     *         0
                     *       ],
                     *       "delivered": [
                     *         0
                     *       ],
                     *       "completed": [
                     *         0
                     *       ],
                     *       "failed": [
                     *         0
                     *       ],
                     *       "cancelled": [
                     *         0
                     *       ],
                     *       "pending": [
                     *         0
                     *       ],
                     *       "deliveryMs": {
                     *         "median": [
                     *           0
                     *         ],
                     *         "p95": [
                     *           0
                     *         ]
                     *       },
                     *       "up": [
                     *         0
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Statistics"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; a range is empty, has more than 750 steps (statistics), 366 days (presence and log) or 31 days (hand-over), or begins at an earlier sign-in that is not known; the end of a mute is in the past, or more than 30 days ahead */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSuggestions: {
        parameters: {
            query: {
                /** @description commands and senders are those of the newest 5,000 messages */
                kind: "DEVICE" | "COMMAND" | "SENDER";
                /** @description part of the text */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       "pump-1"
                     *     ]
                     */
                    "application/json": string[];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSystem: {
        parameters: {
            query?: {
                /** @description true: the answer carries details */
                details?: boolean;
                /** @description language of the meanings of the settings */
                language?: "en" | "ru";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "1.0.0",
                     *       "nodeVersion": "v22.12.0",
                     *       "adapter": "node",
                     *       "startedDate": 1767225600000,
                     *       "date": 1767225600000,
                     *       "listeners": [
                     *         {
                     *           "protocol": "http",
                     *           "url": "http://127.0.0.1:8080"
                     *         }
                     *       ],
                     *       "settings": [
                     *         {
                     *           "name": "server.port",
                     *           "env": "REST_SERVER_PORT",
                     *           "flag": "--host",
                     *           "value": 8080,
                     *           "secret": false,
                     *           "origin": "DEFAULT",
                     *           "default": "8080",
                     *           "isDefault": false,
                     *           "unit": "ms",
                     *           "meaning": "port to listen on; 0 for any free port"
                     *         }
                     *       ],
                     *       "storage": {
                     *         "directory": "/var/lib/waybill",
                     *         "databaseBytes": 0,
                     *         "logBytes": 0,
                     *         "freeBytes": 0,
                     *         "diskBytes": 0,
                     *         "failedDate": 1767225600000
                     *       },
                     *       "counts": {
                     *         "messagesAtMost": 0,
                     *         "waiting": 0,
                     *         "clients": 0,
                     *         "templates": 0
                     *       },
                     *       "process": {
                     *         "cpuPercent": 0,
                     *         "memoryBytes": 0,
                     *         "lagP99Ms": 0,
                     *         "commitP99Ms": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["System"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    downloadBackup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description name of the file */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.sqlite3": string;
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description another backup is being made or downloaded */
            409: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk has no room for a backup beside the database; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    checkCredentials: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4096 bytes. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "pump-1",
                 *       "password": "a password"
                 *     }
                 */
                "application/json": components["schemas"]["CredentialCheck"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "decision": false
                     *     }
                     */
                    "application/json": components["schemas"]["CredentialDecision"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description too many failed logins of this client from this address */
            429: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; too many logins wait for their check; a login before the first admin exists, which takes a moment at the first start */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4096 bytes. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "deviseId": "pump-1",
                 *       "password": "a password"
                 *     }
                 */
                "application/json": components["schemas"]["LoginRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accessToken": "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl",
                     *       "tokenType": "Bearer",
                     *       "deviseId": "pump-1",
                     *       "role": "DEVISE"
                     *     }
                     */
                    "application/json": components["schemas"]["LoginResult"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the device id or the password is wrong */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description too many failed logins of this client from this address */
            429: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; too many logins wait for their check; a login before the first admin exists, which takes a moment at the first start */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deviseId": "pump-1",
                     *       "role": "DEVISE"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLastMessage: {
        parameters: {
            query?: {
                /** @description true: the answer carries details */
                details?: boolean;
                /** @description seconds to wait for the answer; more than 60 means 60 */
                wait?: number;
            };
            header?: never;
            path: {
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description the maximum number of requests wait, so the answer came at once; try again after these seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "currentTimestamp": 1767225600000,
                     *         "command": "start",
                     *         "believerGuarantee": "NO",
                     *         "data": {
                     *           "speed": 1
                     *         },
                     *         "attempt": 1,
                     *         "remainingSeconds": 0,
                     *         "finishSeconds": 1
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ConsumerMessage"][];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs; with `APP_SECURITY_OWN_QUEUE_ONLY`, the queue or the producer of the birth certificate belongs to another client */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    checkQueueAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs; with `APP_SECURITY_OWN_QUEUE_ONLY`, the queue or the producer of the birth certificate belongs to another client */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    acknowledgeMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "id": 42,
                 *       "deliveryStatus": "COMPLETED",
                 *       "result": {
                 *         "litres": 12
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Acknowledgement"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveryStatus": "NOT_DELIVERED",
                     *       "busyUntilDate": 1767225600000,
                     *       "resultDropped": false
                     *     }
                     */
                    "application/json": components["schemas"]["AcknowledgementResult"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs; with `APP_SECURITY_OWN_QUEUE_ONLY`, the queue or the producer of the birth certificate belongs to another client */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no message has that id, it is for another device, or the client may not read it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the message has another final status already; the body names it in `deliveryStatus` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveryStatus: components["schemas"]["DeliveryStatus"];
                        /**
                         * @description reason phrase of the status
                         * @example Bad Request
                         */
                        error: string;
                        /**
                         * @description what is wrong and how to mend it
                         * @example "id" in the path is not valid: expected an integer.
                         */
                        message: string;
                    };
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description any other error of the handler */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelOwnMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                messageId: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "force": false
                 *     }
                 */
                "application/json": components["schemas"]["CancelOptions"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveryStatus": "NOT_DELIVERED",
                     *       "handedOver": false
                     *     }
                     */
                    "application/json": components["schemas"]["CancelledMessage"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no message has that id, it is for another device, or the client may not read it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the message to cancel or to replace was dispatched already; the body has its status in `deliveryStatus`, and the number of its attempts in `attempts` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attempts: number;
                        deliveryStatus: components["schemas"]["DeliveryStatus"];
                        /**
                         * @description reason phrase of the status
                         * @example Bad Request
                         */
                        error: string;
                        /**
                         * @description what is wrong and how to mend it
                         * @example "id" in the path is not valid: expected an integer.
                         */
                        message: string;
                    };
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelOwnMessages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "command": "start",
                 *       "force": false
                 *     }
                 */
                "application/json": components["schemas"]["CancelSelection"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "cancelled": [
                     *         1
                     *       ],
                     *       "handedOver": [
                     *         1
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CancelledMessages"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMessageStatus: {
        parameters: {
            query?: {
                changedFrom?: components["schemas"]["DeliveryStatus"];
                /** @description true: the answer carries details */
                details?: boolean;
                /** @description seconds to wait for the answer; more than 60 means 60 */
                wait?: number;
            };
            header?: never;
            path: {
                messageId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description the maximum number of requests wait, so the answer came at once; try again after these seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveryStatus": "NOT_DELIVERED",
                     *       "id": 1,
                     *       "tmpId": 42,
                     *       "cause": "STORED",
                     *       "reason": "valve stuck",
                     *       "result": {
                     *         "litres": 12
                     *       },
                     *       "attempts": 0,
                     *       "date": 1767225600000,
                     *       "waits": {
                     *         "reason": "BEHIND",
                     *         "messageId": 1,
                     *         "until": 1767225600000
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MessageStatus"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no message has that id, it is for another device, or the client may not read it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listOwnMessages: {
        parameters: {
            query: {
                id: number[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "deliveryStatus": "NOT_DELIVERED",
                     *         "id": 1,
                     *         "tmpId": 42,
                     *         "cause": "STORED",
                     *         "reason": "valve stuck",
                     *         "result": {
                     *           "litres": 12
                     *         },
                     *         "attempts": 0,
                     *         "date": 1767225600000,
                     *         "waits": {
                     *           "reason": "BEHIND",
                     *           "messageId": 1,
                     *           "until": 1767225600000
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["MessageStatus"][];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOwnMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "deviseId": "pump-1",
                     *       "command": "start",
                     *       "deliveryStatus": "NOT_DELIVERED",
                     *       "deliveryGuarantee": "NO",
                     *       "createdDate": 1767225600000,
                     *       "deliveredDate": 1767225600000,
                     *       "tmpId": 42,
                     *       "producerDeviseId": "shop",
                     *       "deliveredError": false,
                     *       "data": {
                     *         "speed": 1
                     *       },
                     *       "senderDeviseId": "shop",
                     *       "history": [
                     *         {
                     *           "date": 1767225600000,
                     *           "deliveryStatus": "NOT_DELIVERED",
                     *           "cause": "ACKNOWLEDGED",
                     *           "deviseId": "pump-1",
                     *           "messageId": 1,
                     *           "reason": "valve stuck"
                     *         }
                     *       ],
                     *       "attempts": [
                     *         {
                     *           "date": 1767225600000,
                     *           "transport": "MQTT",
                     *           "outcome": "SENT",
                     *           "reason": "valve stuck",
                     *           "number": 1,
                     *           "until": 1767225600000
                     *         }
                     *       ],
                     *       "waits": {
                     *         "reason": "BEHIND",
                     *         "messageId": 1,
                     *         "until": 1767225600000
                     *       },
                     *       "cause": "STORED",
                     *       "reason": "valve stuck",
                     *       "result": {
                     *         "litres": 12
                     *       },
                     *       "resultDropped": false,
                     *       "lateStatus": "NOT_DELIVERED",
                     *       "lateDate": 1767225600000,
                     *       "terms": {
                     *         "validSeconds": 1,
                     *         "finishSeconds": 1,
                     *         "delaySeconds": 1,
                     *         "maxAttempts": 1,
                     *         "expiresDate": 1767225600000,
                     *         "finishDate": 1767225600000,
                     *         "dueDate": 1767225600000
                     *       },
                     *       "idempotencyKey": "7c9e6679",
                     *       "repeats": 0,
                     *       "resentFrom": 1,
                     *       "resentAs": 1,
                     *       "dataBytes": 0,
                     *       "previousId": 1,
                     *       "nextId": 1
                     *     }
                     */
                    "application/json": components["schemas"]["MessageDetail"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no message has that id, it is for another device, or the client may not read it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayOwnMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                messageId: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "details": false
                 *     }
                 */
                "application/json": {
                    /** @description true: the answer carries details */
                    details?: boolean;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveryStatus": "NOT_DELIVERED"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResult"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no message has that id, it is for another device, or the client may not read it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the message to replay is not `UNKNOWN`, or has the guarantee `NO`; the validity of the message to replay is over */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the device has the maximum number of pending messages, or of their bytes; with `?details=true` the body has `waiting`, `limit`, `bytes` and `limitBytes` */
            429: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sendCommand: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "command": "start",
                 *       "believerGuarantee": "NO",
                 *       "data": {
                 *         "speed": 1
                 *       },
                 *       "messageBirthCertificate": {
                 *         "tmpId": 42,
                 *         "producerDeviseId": "shop",
                 *         "details": false
                 *       },
                 *       "validSeconds": 1,
                 *       "finishSeconds": 1,
                 *       "delaySeconds": 1,
                 *       "maxAttempts": 1,
                 *       "idempotencyKey": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
                 *       "replaces": 1
                 *     }
                 */
                "application/json": components["schemas"]["ProducerMessage"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description `true`: the idempotency key was used before, and nothing was stored */
                    "Idempotency-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "tmpId": 42,
                     *       "deliveryStatus": "NOT_DELIVERED"
                     *     }
                     */
                    "application/json": components["schemas"]["ProducerMessageResult"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse; durations contradict each other, a message with guarantee `NO` has a finish time, `nextAfter` is `COMPLETED` without `finishSeconds`, or the end of a time out of service is not ahead, by a year at most */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token is missing or not valid */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unauthorized"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the token lacks the role that the path needs; with `APP_SECURITY_OWN_QUEUE_ONLY`, the queue or the producer of the birth certificate belongs to another client */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description no message has that id, it is for another device, or the client may not read it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the message to cancel or to replace was dispatched already; the body has its status in `deliveryStatus`, and the number of its attempts in `attempts` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attempts: number;
                        deliveryStatus: components["schemas"]["DeliveryStatus"];
                        /**
                         * @description reason phrase of the status
                         * @example Bad Request
                         */
                        error: string;
                        /**
                         * @description what is wrong and how to mend it
                         * @example "id" in the path is not valid: expected an integer.
                         */
                        message: string;
                    };
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is larger than the limit; command and data of a message have more bytes than `maxBytes` of its device */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the body is neither JSON nor a form, or is not in UTF-8; the body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the idempotency key was used with other content */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the device has the maximum number of pending messages, or of their bytes; with `?details=true` the body has `waiting`, `limit`, `bytes` and `limitBytes` */
            429: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description the server is shutting down; the disk is full, or has less than 50 MiB for a submit; nothing was stored; another program holds the database, or too many requests wait for it; nothing was stored; the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
