/** Generated from the API description by test/unit/client-types.test.ts. Not to be changed by hand. */
export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the admin page */
        get: operations["get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Redirect to the admin page */
        get: operations["get-admin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/favicon.ico": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Redirect to the icon of the admin page */
        get: operations["get-favicon-ico"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/swagger-ui.html": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Redirect to /swagger-ui */
        get: operations["get-swagger-ui-html"];
        put?: never;
        post?: never;
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
        /** Log in with a device id and its password to get a token */
        post: operations["post-auth-login"];
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
        /** Show the client that the token belongs to */
        get: operations["get-auth-me"];
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
        /** Check a device id and its password */
        post: operations["post-auth-isClientEnabled"];
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
        /** Fetch the oldest pending command of a device */
        get: operations["get-consumer-getLastMessage-by-deviceId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /** Check access without fetching a command */
        head: operations["head-consumer-getLastMessage-by-deviceId"];
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
        /** Acknowledge a command with its status */
        post: operations["post-consumer-request-by-deviceId"];
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
        /** Send a command to a device */
        put: operations["put-producer-request-by-deviceId"];
        post?: never;
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
        /** Show the status of a command */
        get: operations["get-producer-getMessageStatus-by-messageId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/swagger-ui": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show this API description as a page */
        get: operations["get-swagger-ui"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/swagger-ui/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show this API description as a page */
        get: operations["get-swagger-ui-by-file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ui/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a file of the admin page */
        get: operations["get-ui-by-file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/api-docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the OpenAPI description as JSON */
        get: operations["get-v3-api-docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/api-docs.yaml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the OpenAPI description as YAML */
        get: operations["get-v3-api-docs-yaml"];
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
        /** List all clients, or show one */
        get: operations["get-admin-api-clients"];
        put?: never;
        /** Create a client */
        post: operations["post-admin-api-clients"];
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
        /** List all clients, or show one */
        get: operations["get-admin-api-clients-by-id"];
        /** Update a client; omitted members stay as they are */
        put: operations["put-admin-api-clients-by-id"];
        post?: never;
        /** Delete a client and end its tokens at once */
        delete: operations["delete-admin-api-clients-by-id"];
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
        /** Create and update the clients of a CSV file in the background, or report the changes only (dryRun) */
        post: operations["post-admin-api-clients-import"];
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
        /** Show the progress of an import */
        get: operations["get-admin-api-clients-import-by-id"];
        put?: never;
        post?: never;
        delete?: never;
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
        /** Download all clients as CSV, without their passwords */
        get: operations["get-admin-api-clients-export"];
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
        /** List the connections that have logged in, oldest first */
        get: operations["get-admin-api-connections"];
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
        /** End a connection; its client may connect again */
        delete: operations["delete-admin-api-connections-by-id"];
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
        /** List refused logins and messages since the start of the server, newest first */
        get: operations["get-admin-api-connections-refusals"];
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
        /** List the devices that are clients or have messages, or show one */
        get: operations["get-admin-api-devices"];
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
        /** List the devices that are clients or have messages, or show one */
        get: operations["get-admin-api-devices-by-deviceId"];
        /** Replace all settings of a device; omitted and null settings get the general value */
        put: operations["put-admin-api-devices-by-deviceId"];
        post?: never;
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
        /** Stream changes of messages and connections as they happen */
        get: operations["get-admin-api-events"];
        put?: never;
        post?: never;
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
        /** List messages, newest first, or show one with its history */
        get: operations["get-admin-api-messages"];
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
        /** List messages, newest first, or show one with its history */
        get: operations["get-admin-api-messages-by-id"];
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
        /** Cancel a message that was not dispatched */
        post: operations["post-admin-api-messages-by-id-cancel"];
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
        /** Send the command of a message again, as a new message without a birth certificate */
        post: operations["post-admin-api-messages-by-id-resend"];
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
        /** Show the state of the broker, with alerts */
        get: operations["get-admin-api-overview"];
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
        /** List templates, newest first, or show one */
        get: operations["get-admin-api-saved-messages"];
        put?: never;
        /** Create a template of a message for a device */
        post: operations["post-admin-api-saved-messages"];
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
        /** List templates, newest first, or show one */
        get: operations["get-admin-api-saved-messages-by-id"];
        put?: never;
        post?: never;
        /** Delete a template */
        delete: operations["delete-admin-api-saved-messages-by-id"];
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
        /** Send the message of a template to its device */
        post: operations["post-admin-api-saved-messages-by-id-send"];
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
        /** Show version, addresses, settings with their origin, and disk space */
        get: operations["get-admin-api-system"];
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
        /** Download a backup of all messages and clients, for "waybill db restore" */
        get: operations["get-admin-api-system-backup"];
        put?: never;
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
        /** Error */
        Error: {
            error: string;
            /** @description what is wrong and how to mend it */
            message: string;
        };
        /** LoginRequest */
        LoginRequest: {
            deviseId: string;
            password: string;
        };
        /**
         * Role
         * @enum {string}
         */
        Role: "DEVISE" | "MAN";
        /** LoginResult */
        LoginResult: {
            accessToken: string;
            /** @constant */
            tokenType: "Bearer";
            deviseId: string;
            role: components["schemas"]["Role"];
        };
        /** Unauthorized */
        Unauthorized: {
            /** @constant */
            error: "Unauthorized";
        };
        /** Session */
        Session: {
            deviseId: string;
            role: components["schemas"]["Role"];
        };
        /** CredentialCheck */
        CredentialCheck: {
            username: string;
            password: string;
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
        /** ConsumerMessage */
        ConsumerMessage: {
            id: number;
            /** @description milliseconds since 1970 */
            currentTimestamp: number;
            command: string;
            believerGuarantee: components["schemas"]["DeliveryGuarantee"];
            data: {
                [key: string]: unknown;
            };
        };
        /** Forbidden */
        Forbidden: {
            /** @constant */
            error: "Forbidden";
        };
        /** Acknowledgement */
        Acknowledgement: {
            id: number;
            deliveryStatus?: ("DELIVERED" | "COMPLETED" | "COMPLETED_WITH_ERROR") | null;
        };
        /**
         * DeliveryStatus
         * @enum {string}
         */
        DeliveryStatus: "NOT_DELIVERED" | "DELIVERED" | "COMPLETED" | "COMPLETED_WITH_ERROR" | "CANCELLED" | "UNKNOWN";
        /** StatusResult */
        StatusResult: {
            deliveryStatus: components["schemas"]["DeliveryStatus"];
        };
        /** ProducerMessage */
        ProducerMessage: {
            command: string;
            believerGuarantee?: components["schemas"]["DeliveryGuarantee"] | null;
            data?: {
                [key: string]: unknown;
            } | null;
            messageBirthCertificate?: {
                tmpId?: number | null;
                producerDeviseId?: string | null;
            } | null;
        };
        /** ProducerMessageResult */
        ProducerMessageResult: {
            id: number;
            tmpId: number | null;
            deliveryStatus: components["schemas"]["DeliveryStatus"];
        };
        /** Client */
        Client: {
            id: number;
            deviseId: string;
            role: components["schemas"]["Role"];
            description: string;
        };
        /** NewClient */
        NewClient: {
            deviseId: string;
            /** @description the password, or its bcrypt hash ($2a$, $2b$ or $2y$) of cost 4 to 14 */
            password: string;
            role?: components["schemas"]["Role"] | null;
            description?: string | null;
        };
        /** ClientChange */
        ClientChange: {
            deviseId?: string | null;
            password?: string | null;
            role?: components["schemas"]["Role"] | null;
            description?: string | null;
        };
        /** ClientsFile */
        ClientsFile: {
            /**
             * Format: binary
             * @description CSV with the columns deviseId, password, role, description
             */
            file: string;
            /** @default false */
            dryRun: boolean;
        };
        /** ImportReport */
        ImportReport: {
            /** @description 0 for a dry run */
            id: number;
            /** @enum {string} */
            state: "PLANNED" | "RUNNING" | "DONE" | "STOPPED";
            lines: number;
            done: number;
            created: number;
            changed: number;
            unchanged: number;
            errors: {
                line: number;
                deviseId: string | null;
                message: string;
            }[];
        };
        /** Connection */
        Connection: {
            id: number;
            /** @description empty if the client gave none */
            clientId: string;
            /** @description device id of the client that logged in */
            deviseId: string;
            /** @description devices whose commands the connection receives; at most 20 are listed */
            devices: string[];
            address: string;
            /** @enum {string} */
            transport: "TCP" | "TLS" | "WS" | "WSS";
            /**
             * @description protocol of the client
             * @enum {string}
             */
            protocol: "MQTT";
            /** @enum {string} */
            version: "3.1" | "3.1.1" | "5";
            /** @description milliseconds since 1970 */
            since: number;
            /** @description milliseconds since 1970 */
            lastPacketDate: number;
            subscriptions: number;
        };
        /** Refusal */
        Refusal: {
            /** @description milliseconds since 1970 */
            date: number;
            /** @description milliseconds since 1970 */
            firstDate: number;
            count: number;
            /** @enum {string} */
            reason: "WRONG_CREDENTIALS" | "NO_CREDENTIALS" | "TOO_MANY_FAILURES" | "TOO_MANY_LOGINS" | "PROTOCOL_ERROR" | "TOO_SLOW" | "TOPIC_NOT_ALLOWED" | "MESSAGE_REFUSED";
            message: string;
            deviseId: string | null;
            clientId: string | null;
            address: string;
            /** @enum {string} */
            transport: "MQTT" | "REST";
        };
        /** DeviceSettings */
        DeviceSettings: {
            /** @description least time between two commands that are published to the device, in ms; null: COMMON_SEND_MESSAGE_PERIOD */
            sendMessagePeriod: number | null;
        };
        /** Device */
        Device: {
            deviseId: string;
            clientId: number | null;
            waiting: number;
            oldestWaitingDate: number | null;
            lastSeenDate: number | null;
            transport: string | null;
            lastMessage: {
                id: number;
                command: string;
                deliveryStatus: components["schemas"]["DeliveryStatus"];
                /** @description milliseconds since 1970 */
                date: number;
            } | null;
            settings?: components["schemas"]["DeviceSettings"];
        };
        /** NewDeviceSettings */
        NewDeviceSettings: {
            /** @description least time between two commands that are published to the device, in ms; null: COMMON_SEND_MESSAGE_PERIOD */
            sendMessagePeriod?: number | null;
        };
        /** Message */
        Message: {
            id: number;
            deviseId: string;
            command: string;
            deliveryStatus: components["schemas"]["DeliveryStatus"];
            deliveryGuarantee: components["schemas"]["DeliveryGuarantee"];
            /** @description milliseconds since 1970 */
            createdDate: number;
            deliveredDate: number | null;
            tmpId: number | null;
            producerDeviseId: string | null;
            deliveredError: boolean;
            data: {
                [key: string]: unknown;
            };
        };
        /** MessageDetail */
        MessageDetail: {
            id: number;
            deviseId: string;
            command: string;
            deliveryStatus: components["schemas"]["DeliveryStatus"];
            deliveryGuarantee: components["schemas"]["DeliveryGuarantee"];
            /** @description milliseconds since 1970 */
            createdDate: number;
            deliveredDate: number | null;
            tmpId: number | null;
            producerDeviseId: string | null;
            deliveredError: boolean;
            data: {
                [key: string]: unknown;
            };
            senderDeviseId: string | null;
            history: {
                /** @description milliseconds since 1970 */
                date: number;
                deliveryStatus: components["schemas"]["DeliveryStatus"];
                cause: string;
                deviseId: string | null;
                messageId: number | null;
            }[];
            attempts: {
                /** @description milliseconds since 1970 */
                date: number;
                transport: string;
                outcome: string;
            }[];
            waits: {
                /** @enum {string} */
                reason: "BEHIND" | "GAP" | "DEVICE_AWAY" | "ACKNOWLEDGEMENT" | "GOING_OUT";
                messageId: number | null;
                until: number | null;
            } | null;
        };
        /** ResendOptions */
        ResendOptions: {
            /**
             * @description true sends the command again although the message is still pending
             * @default false
             */
            force: boolean;
        };
        /** Series */
        Series: {
            /** @description start of the first item, in milliseconds since 1970 */
            from: number;
            /** @description length of an item in milliseconds; the last item is not complete */
            step: number;
            stored: number[];
            completed: number[];
            failed: number[];
        };
        /** Attention */
        Attention: {
            /** @enum {string} */
            kind: "STORAGE_FAILED" | "DISK_NEARLY_FULL" | "QUEUE_NEARLY_FULL" | "NOT_ACKNOWLEDGED" | "WAITING_LONG" | "FAILED" | "LOGIN_REFUSED";
            since: number | null;
            deviseId: string | null;
            messageId: number | null;
            address: string | null;
            value: number | null;
            limit: number | null;
        };
        /** Overview */
        Overview: {
            /** @description milliseconds since 1970 */
            date: number;
            /** @description start of the counters, in milliseconds since 1970 */
            since: number;
            devices: {
                online: number;
                seenInHour: number;
            };
            connections: number;
            waiting: number;
            oldestWaiting: {
                id: number;
                deviseId: string;
                /** @description milliseconds since 1970 */
                date: number;
            } | null;
            failed: {
                completedWithError: number;
                unknown: number;
                notAcknowledged: number;
            };
            perMinute: number;
            minutes: components["schemas"]["Series"];
            hours: components["schemas"]["Series"];
            attention: components["schemas"]["Attention"][];
        };
        /** Template */
        Template: {
            id: number;
            clientId: number;
            deviseId: string;
            description: string;
            command: string;
            deliveryGuarantee: components["schemas"]["DeliveryGuarantee"];
            data: {
                [key: string]: unknown;
            };
        };
        /** NewTemplate */
        NewTemplate: {
            clientId: number;
            description?: string | null;
            command: string;
            deliveryGuarantee?: ("NO" | "RECEIPT_CONFIRMATION" | "ONLY_LAST") | null;
            data?: {
                [key: string]: unknown;
            } | null;
        };
        /** Setting */
        Setting: {
            /** @description property in the configuration file */
            name: string;
            env: string | null;
            flag: string | null;
            /** @description null for a secret */
            value: unknown;
            secret: boolean;
            /** @enum {string} */
            origin: "DEFAULT" | "FILE" | "ENVIRONMENT" | "FLAG";
            default: string;
            unit: string | null;
            meaning: string;
        };
        /** System */
        System: {
            version: string;
            nodeVersion: string;
            /** @enum {string} */
            adapter: "node" | "uws";
            /** @description milliseconds since 1970 */
            startedDate: number;
            /** @description milliseconds since 1970 */
            date: number;
            listeners: {
                /** @enum {string} */
                protocol: "http" | "https" | "mqtt" | "mqtts";
                url: string;
            }[];
            settings: components["schemas"]["Setting"][];
            storage: {
                directory: string;
                databaseBytes: number;
                logBytes: number;
                freeBytes: number;
                diskBytes: number;
                failedDate: number | null;
            };
            counts: {
                /** @description newest id - oldest id + 1 */
                messagesAtMost: number;
                waiting: number;
                clients: number;
                templates: number;
            };
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
    get: {
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
                    "text/html": string;
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description any other error of the handler */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-admin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found */
            302: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
        };
    };
    "get-favicon-ico": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found */
            302: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description any other error of the handler */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-swagger-ui-html": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found */
            302: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
        };
    };
    "post-auth-login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the body is neither JSON nor a form, is compressed, or is not in UTF-8 */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; too many logins wait for their check */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-auth-me": {
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
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
        };
    };
    "post-auth-isClientEnabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the body is neither JSON nor a form, is compressed, or is not in UTF-8 */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; too many logins wait for their check */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-consumer-getLastMessage-by-deviceId": {
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
                    "application/json": components["schemas"]["ConsumerMessage"][];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description with `APP_SECURITY_OWN_QUEUE_ONLY`, the queue or the producer of the birth certificate belongs to another client */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "head-consumer-getLastMessage-by-deviceId": {
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
                };
            };
            /** @description with `APP_SECURITY_OWN_QUEUE_ONLY`, the queue or the producer of the birth certificate belongs to another client */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
        };
    };
    "post-consumer-request-by-deviceId": {
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
                };
            };
            /** @description with `APP_SECURITY_OWN_QUEUE_ONLY`, the queue or the producer of the birth certificate belongs to another client */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description no message has that id, it is for another device, or the client may not read it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the message has another final status already; the body names it in `deliveryStatus` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                        /** @description what is wrong and how to mend it */
                        message: string;
                        deliveryStatus: components["schemas"]["DeliveryStatus"];
                    };
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the body is neither JSON nor a form, is compressed, or is not in UTF-8 */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "put-producer-request-by-deviceId": {
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
                "application/json": components["schemas"]["ProducerMessage"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                };
            };
            /** @description with `APP_SECURITY_OWN_QUEUE_ONLY`, the queue or the producer of the birth certificate belongs to another client */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the body is neither JSON nor a form, is compressed, or is not in UTF-8 */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the device has the maximum number of pending messages */
            429: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-producer-getMessageStatus-by-messageId": {
        parameters: {
            query?: never;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusResult"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description no message has that id, it is for another device, or the client may not read it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-swagger-ui": {
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
                    "*/*": string;
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description any other error of the handler */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-swagger-ui-by-file": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                file: string;
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
                    "*/*": string;
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description any other error of the handler */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-ui-by-file": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                file: string;
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
                    "*/*": string;
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description any other error of the handler */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-v3-api-docs": {
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
                    "application/json": {
                        openapi: string;
                    };
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
        };
    };
    "get-v3-api-docs-yaml": {
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
                    "application/yaml": string;
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
        };
    };
    "get-admin-api-clients": {
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
                    "application/json": components["schemas"]["Client"][] | components["schemas"]["Client"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description no client has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
        };
    };
    "post-admin-api-clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description another client has that `deviseId` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the body is neither JSON nor a form, is compressed, or is not in UTF-8 */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-admin-api-clients-by-id": {
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
                    "application/json": components["schemas"]["Client"][] | components["schemas"]["Client"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description no client has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
        };
    };
    "put-admin-api-clients-by-id": {
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description no client has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description another client has that `deviseId`; the change would delete the last client with role `MAN` or take the role from it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the body is neither JSON nor a form, is compressed, or is not in UTF-8 */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "delete-admin-api-clients-by-id": {
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description no client has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the change would delete the last client with role `MAN` or take the role from it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-admin-api-clients-import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description another import of clients is running */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the body is neither JSON nor a form, is compressed, or is not in UTF-8 */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
        };
    };
    "get-admin-api-clients-import-by-id": {
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
                    "application/json": components["schemas"]["ImportReport"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description none of the last 20 imports of clients since the start of the server has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
        };
    };
    "get-admin-api-clients-export": {
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
                    "text/csv": string;
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
        };
    };
    "get-admin-api-connections": {
        parameters: {
            query?: {
                after?: number;
                /** @description maximum rows of a page; values above 500 mean 500 */
                limit?: number;
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
                    /** @description next page, if there is one: `<…>; rel="next"` */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
        };
    };
    "delete-admin-api-connections-by-id": {
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description no open connection has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
        };
    };
    "get-admin-api-connections-refusals": {
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
        };
    };
    "get-admin-api-devices": {
        parameters: {
            query?: {
                after?: string;
                /** @description maximum rows of a page; values above 500 mean 500 */
                limit?: number;
                /** @description part of the device id */
                search?: string;
                /** @description true adds the settings of each device */
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
                    /** @description next page, if there is one: `<…>; rel="next"` */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"][] | components["schemas"]["Device"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-admin-api-devices-by-deviceId": {
        parameters: {
            query?: {
                after?: string;
                /** @description maximum rows of a page; values above 500 mean 500 */
                limit?: number;
                /** @description part of the device id */
                search?: string;
                /** @description true adds the settings of each device */
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
                    /** @description next page, if there is one: `<…>; rel="next"` */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"][] | components["schemas"]["Device"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "put-admin-api-devices-by-deviceId": {
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
                    "application/json": components["schemas"]["DeviceSettings"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the body is neither JSON nor a form, is compressed, or is not in UTF-8 */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-admin-api-events": {
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
                    "text/event-stream": string;
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
        };
    };
    "get-admin-api-messages": {
        parameters: {
            query?: {
                deviseId?: string;
                status?: "NOT_DELIVERED" | "DELIVERED" | "COMPLETED" | "COMPLETED_WITH_ERROR" | "CANCELLED" | "UNKNOWN";
                command?: string;
                from?: number;
                to?: number;
                /** @description only messages with smaller ids */
                before?: number;
                /** @description maximum rows of a page; values above 500 mean 500. A request searches for at most 15 ms. A page with a rare command or status may be short or empty and still have a next page */
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
                    /** @description next page, if there is one: `<…>; rel="next"` */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"][] | components["schemas"]["MessageDetail"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description no message has that id, it is for another device, or the client may not read it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-admin-api-messages-by-id": {
        parameters: {
            query?: {
                deviseId?: string;
                status?: "NOT_DELIVERED" | "DELIVERED" | "COMPLETED" | "COMPLETED_WITH_ERROR" | "CANCELLED" | "UNKNOWN";
                command?: string;
                from?: number;
                to?: number;
                /** @description only messages with smaller ids */
                before?: number;
                /** @description maximum rows of a page; values above 500 mean 500. A request searches for at most 15 ms. A page with a rare command or status may be short or empty and still have a next page */
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
                    "application/json": components["schemas"]["Message"][] | components["schemas"]["MessageDetail"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description no message has that id, it is for another device, or the client may not read it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-admin-api-messages-by-id-cancel": {
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
                    "application/json": components["schemas"]["StatusResult"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description no message has that id, it is for another device, or the client may not read it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the message was dispatched already, so it cannot be cancelled; the body has its status in `deliveryStatus`; the message has another final status already; the body names it in `deliveryStatus` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: string;
                        /** @description what is wrong and how to mend it */
                        message: string;
                        deliveryStatus: components["schemas"]["DeliveryStatus"];
                    };
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-admin-api-messages-by-id-resend": {
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
                "application/json": components["schemas"]["ResendOptions"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description no message has that id, it is for another device, or the client may not read it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the message to send again is still pending, and `force` is not true */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the body is neither JSON nor a form, is compressed, or is not in UTF-8 */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the device has the maximum number of pending messages */
            429: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-admin-api-overview": {
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
                    "application/json": components["schemas"]["Overview"];
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-admin-api-saved-messages": {
        parameters: {
            query?: {
                clientId?: number;
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
                    "application/json": components["schemas"]["Template"][] | components["schemas"]["Template"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description no template has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-admin-api-saved-messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": components["schemas"]["Template"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query; the JSON body does not parse, is not UTF-8 or is no object; the multipart body does not parse; the client of a new template has another role than `DEVISE` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description no client has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the body is larger than the limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the body is neither JSON nor a form, is compressed, or is not in UTF-8 */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-admin-api-saved-messages-by-id": {
        parameters: {
            query?: {
                clientId?: number;
                deviseId?: string;
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
                    "application/json": components["schemas"]["Template"][] | components["schemas"]["Template"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type; a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description no template has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "delete-admin-api-saved-messages-by-id": {
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description no template has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-admin-api-saved-messages-by-id-send": {
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
                    "application/json": components["schemas"]["ProducerMessageResult"];
                };
            };
            /** @description a percent-encoding in the path, the query or a form is malformed; an argument in the path is of the wrong type */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description no template has that id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the device has the maximum number of pending messages */
            429: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-admin-api-system": {
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
                    "application/json": components["schemas"]["System"];
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-admin-api-system-backup": {
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
                };
            };
            /** @description the token lacks the role that the path needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forbidden"];
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
                };
            };
            /** @description something that should not happen did; the log has the cause */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description the server is shutting down; the disk has no room for a backup beside the database; the disk is full; nothing was stored; another program holds the database; nothing was stored; the disk failed; nothing is stored until a restart; the server is shutting down */
            503: {
                headers: {
                    /** @description seconds to wait before the next try */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
