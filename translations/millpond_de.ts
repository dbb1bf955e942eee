<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>ActionText</name>
    <message>
        <source>&amp;Open Folder…</source>
        <translation>Ordner ö&amp;ffnen …</translation>
    </message>
    <message>
        <source>Show the pools whose image files lie in a folder</source>
        <translation>Die Pools zeigen, deren Abbilddateien in einem Ordner liegen</translation>
    </message>
    <message>
        <source>This &amp;Machine</source>
        <translation>Dieser &amp;Rechner</translation>
    </message>
    <message>
        <source>Show the pools on the devices of this machine</source>
        <translation>Die Pools auf den Geräten dieses Rechners zeigen</translation>
    </message>
    <message>
        <source>&amp;Refresh</source>
        <translation>&amp;Aktualisieren</translation>
    </message>
    <message>
        <source>Look for pools again</source>
        <translation>Noch einmal nach Pools suchen</translation>
    </message>
    <message>
        <source>&amp;Import Read-Only</source>
        <translation>Nur zum Lesen &amp;importieren</translation>
    </message>
    <message>
        <source>Open this pool for reading; nothing on its disks is changed</source>
        <translation>Diesen Pool zum Lesen öffnen; auf seinen Platten wird nichts geändert</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>&amp;Exportieren</translation>
    </message>
    <message>
        <source>Unmount this pool and close it</source>
        <translation>Diesen Pool aushängen und schließen</translation>
    </message>
    <message>
        <source>&amp;Check</source>
        <translation>&amp;Prüfen</translation>
    </message>
    <message>
        <source>Read and verify everything in this pool</source>
        <translation>Alles in diesem Pool lesen und prüfen</translation>
    </message>
    <message>
        <source>&amp;Mount</source>
        <translation>&amp;Einhängen</translation>
    </message>
    <message>
        <source>Make the files of this dataset visible in a folder</source>
        <translation>Die Dateien dieses Datasets in einem Ordner sichtbar machen</translation>
    </message>
    <message>
        <source>&amp;Unmount</source>
        <translation>&amp;Aushängen</translation>
    </message>
    <message>
        <source>Take the files of this dataset out of the folder again</source>
        <translation>Die Dateien dieses Datasets wieder aus dem Ordner nehmen</translation>
    </message>
    <message>
        <source>Open Fol&amp;der</source>
        <translation>&amp;Ordner öffnen</translation>
    </message>
    <message>
        <source>Show the files of this dataset in the file manager</source>
        <translation>Die Dateien dieses Datasets in der Dateiverwaltung zeigen</translation>
    </message>
    <message>
        <source>&amp;Copy Rows</source>
        <translation>Zeilen &amp;kopieren</translation>
    </message>
    <message>
        <source>Copy the selected rows of the table</source>
        <translation>Die ausgewählten Zeilen der Tabelle kopieren</translation>
    </message>
    <message>
        <source>&amp;Save Table…</source>
        <translation>Tabelle &amp;speichern …</translation>
    </message>
    <message>
        <source>Save the table as a CSV file</source>
        <translation>Die Tabelle als CSV-Datei speichern</translation>
    </message>
    <message>
        <source>&amp;Filter Datasets</source>
        <translation>Datasets &amp;filtern</translation>
    </message>
    <message>
        <source>Show only datasets whose name holds a text</source>
        <translation>Nur Datasets zeigen, deren Name einen Text enthält</translation>
    </message>
    <message>
        <source>Datasets as &amp;List</source>
        <translation>Datasets als &amp;Liste</translation>
    </message>
    <message>
        <source>Show datasets with full names, sorted over the whole pool</source>
        <translation>Datasets mit vollem Namen zeigen, über den ganzen Pool sortiert</translation>
    </message>
    <message>
        <source>&amp;Pool</source>
        <translation>&amp;Pool</translation>
    </message>
    <message>
        <source>&amp;Dataset</source>
        <translation>&amp;Dataset</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
</context>
<context>
    <name>Advice</name>
    <message>
        <source>Devices are missing, and the copies that are left are not enough to read the pool.</source>
        <translation>Geräte fehlen, und die übrigen Kopien reichen nicht, um den Pool zu lesen.</translation>
    </message>
    <message>
        <source>Connect the missing devices and try again.</source>
        <translation>Schließen Sie die fehlenden Geräte an und versuchen Sie es erneut.</translation>
    </message>
    <message>
        <source>Some files are damaged and could not be rebuilt from any copy.</source>
        <translation>Einige Dateien sind beschädigt und konnten aus keiner Kopie wiederhergestellt werden.</translation>
    </message>
    <message>
        <source>Restore the files listed below from a backup, or delete them.</source>
        <translation>Stellen Sie die unten genannten Dateien aus einer Sicherung wieder her oder löschen Sie sie.</translation>
    </message>
    <message>
        <source>A device is being rebuilt. Until that is done the pool has less redundancy.</source>
        <translation>Ein Gerät wird wiederhergestellt. Bis das fertig ist, hat der Pool weniger Redundanz.</translation>
    </message>
    <message>
        <source>Wait for the resilver to finish.</source>
        <translation>Warten Sie, bis der Resilver beendet ist.</translation>
    </message>
    <message>
        <source>A device has no usable label. The other copies are enough to read everything.</source>
        <translation>Ein Gerät hat kein brauchbares Label. Die anderen Kopien reichen, um alles zu lesen.</translation>
    </message>
    <message>
        <source>Replace the device.</source>
        <translation>Ersetzen Sie das Gerät.</translation>
    </message>
    <message>
        <source>A device could not be opened. The other copies are enough to read everything.</source>
        <translation>Ein Gerät konnte nicht geöffnet werden. Die anderen Kopien reichen, um alles zu lesen.</translation>
    </message>
    <message>
        <source>Connect the device, or replace it.</source>
        <translation>Schließen Sie das Gerät an oder ersetzen Sie es.</translation>
    </message>
    <message>
        <source>A device was switched off by an administrator. The other copies are enough to read everything.</source>
        <translation>Ein Gerät wurde von einem Verwalter abgeschaltet. Die anderen Kopien reichen, um alles zu lesen.</translation>
    </message>
    <message>
        <source>Bring the device back online, or replace it.</source>
        <translation>Nehmen Sie das Gerät wieder in Betrieb oder ersetzen Sie es.</translation>
    </message>
    <message>
        <source>A device was taken out. The other copies are enough to read everything.</source>
        <translation>Ein Gerät wurde entfernt. Die anderen Kopien reichen, um alles zu lesen.</translation>
    </message>
    <message>
        <source>Put the device back, or replace it.</source>
        <translation>Setzen Sie das Gerät wieder ein oder ersetzen Sie es.</translation>
    </message>
    <message>
        <source>A device had too many errors and is no longer used.</source>
        <translation>Ein Gerät hatte zu viele Fehler und wird nicht mehr benutzt.</translation>
    </message>
    <message>
        <source>Replace the device, or clear its errors if it is sound.</source>
        <translation>Ersetzen Sie das Gerät, oder setzen Sie seine Fehler zurück, wenn es in Ordnung ist.</translation>
    </message>
    <message>
        <source>A device returned errors. Everything was rebuilt from other copies.</source>
        <translation>Ein Gerät meldete Fehler. Alles wurde aus anderen Kopien wiederhergestellt.</translation>
    </message>
    <message>
        <source>Check the device and its cable; replace it if errors come back.</source>
        <translation>Prüfen Sie das Gerät und sein Kabel; ersetzen Sie es, wenn die Fehler wiederkommen.</translation>
    </message>
    <message>
        <source>The pool has an old on-disk version. It works, without what newer versions brought.</source>
        <translation>Der Pool hat eine alte Version auf den Platten. Er funktioniert, ohne das, was neuere Versionen brachten.</translation>
    </message>
    <message>
        <source>Nothing needs to be done. An upgrade shuts out software that knows no feature flags.</source>
        <translation>Es ist nichts zu tun. Ein Upgrade sperrt Software aus, die keine Feature-Flags kennt.</translation>
    </message>
    <message>
        <source>Some features that this program knows are not enabled. The pool works without them.</source>
        <translation>Einige Merkmale, die dieses Programm kennt, sind nicht eingeschaltet. Der Pool funktioniert ohne sie.</translation>
    </message>
    <message>
        <source>Nothing needs to be done. An upgrade shuts out software that lacks those features.</source>
        <translation>Es ist nichts zu tun. Ein Upgrade sperrt Software aus, der diese Merkmale fehlen.</translation>
    </message>
</context>
<context>
    <name>CheckPanel</name>
    <message>
        <source>Problems found by the check</source>
        <translation>Bei der Prüfung gefundene Probleme</translation>
    </message>
    <message>
        <source>Starting the check of %1</source>
        <translation>Prüfung von %1 wird gestartet</translation>
    </message>
    <message>
        <source>The check failed.</source>
        <translation>Die Prüfung ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>The check was cancelled.</source>
        <translation>Die Prüfung wurde abgebrochen.</translation>
    </message>
    <message>
        <source>%1 was not checked</source>
        <translation>%1 wurde nicht geprüft</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>Erneut prüfen</translation>
    </message>
    <message>
        <source>Checking %1</source>
        <translation>%1 wird geprüft</translation>
    </message>
    <message>
        <source>Every block is read and compared. No problem found so far.</source>
        <translation>Jeder Block wird gelesen und verglichen. Bisher kein Problem gefunden.</translation>
    </message>
    <message>
        <source>No pool is selected</source>
        <translation>Kein Pool ausgewählt</translation>
    </message>
    <message>
        <source>%1 is imported</source>
        <translation>%1 ist importiert</translation>
    </message>
    <message>
        <source>A check reads a pool that is not in use. Export it first.</source>
        <translation>Geprüft wird ein Pool, der nicht in Gebrauch ist. Exportieren Sie ihn zuerst.</translation>
    </message>
    <message>
        <source>%1 has not been checked</source>
        <translation>%1 wurde noch nicht geprüft</translation>
    </message>
    <message>
        <source>A check reads every copy of every block, recomputes parity, and compares what the pool says about itself. It writes nothing and can take as long as reading the disks.</source>
        <translation>Die Prüfung liest jede Kopie jedes Blocks, rechnet die Parität nach und vergleicht, was der Pool über sich selbst sagt. Sie schreibt nichts und kann so lange dauern wie das Lesen der Platten.</translation>
    </message>
    <message>
        <source>Check now</source>
        <translation>Jetzt prüfen</translation>
    </message>
    <message>
        <source>No problem found in %1</source>
        <translation>Kein Problem in %1 gefunden</translation>
    </message>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n Problem</numerusform>
            <numerusform>%n Probleme</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 so far; the check goes on.</source>
        <translation>Bisher %1; die Prüfung läuft weiter.</translation>
    </message>
    <message>
        <source>%1. %2 datasets, %3 blocks, %4 read in %5 s.</source>
        <translation>%1. %2 Datasets, %3 Blöcke, %4 in %5 s gelesen.</translation>
    </message>
    <message>
        <source>%1 are awaiting a resilver, which is not damage.</source>
        <translation>%1 warten auf einen Resilver; das ist kein Schaden.</translation>
    </message>
</context>
<context>
    <name>DBusClient</name>
    <message>
        <source>The helper has ended.</source>
        <translation>Der Helfer wurde beendet.</translation>
    </message>
    <message>
        <source>The helper that is running (%1) speaks version %2 of the interface, this window version %3. Close all windows, end the helper, and start again.</source>
        <translation>Der laufende Helfer (%1) spricht Version %2 der Schnittstelle, dieses Fenster Version %3. Schließen Sie alle Fenster, beenden Sie den Helfer und starten Sie neu.</translation>
    </message>
    <message>
        <source>The helper is not running.</source>
        <translation>Der Helfer läuft nicht.</translation>
    </message>
</context>
<context>
    <name>DatasetModel</name>
    <message>
        <source>Yes</source>
        <translation>Ja</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Nein</translation>
    </message>
    <message>
        <source>Not mounted</source>
        <translation>Nicht eingehängt</translation>
    </message>
    <message>
        <source>Mounted at %1</source>
        <translation>Eingehängt unter %1</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 Byte</translation>
    </message>
</context>
<context>
    <name>DatasetPanel</name>
    <message>
        <source>Datasets</source>
        <translation>Datasets</translation>
    </message>
    <message>
        <source>Filter datasets by name</source>
        <translation>Datasets nach Namen filtern</translation>
    </message>
    <message>
        <source>Reading the datasets of %1</source>
        <translation>Datasets von %1 werden gelesen</translation>
    </message>
    <message>
        <source>Asking what is mounted</source>
        <translation>Eingehängtes wird abgefragt</translation>
    </message>
    <message>
        <source>The datasets of %1 could not be read</source>
        <translation>Die Datasets von %1 konnten nicht gelesen werden</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>%1 is not imported</source>
        <translation>%1 ist nicht importiert</translation>
    </message>
    <message>
        <source>Import it read-only to see and mount its datasets. Nothing is written to its disks.</source>
        <translation>Importieren Sie ihn nur zum Lesen, um seine Datasets zu sehen und einzuhängen. Auf seine Platten wird nichts geschrieben.</translation>
    </message>
    <message>
        <source>Import read-only</source>
        <translation>Nur zum Lesen importieren</translation>
    </message>
    <message>
        <source>%1 cannot be imported</source>
        <translation>%1 kann nicht importiert werden</translation>
    </message>
    <message numerus="yes">
        <source>%n dataset(s)</source>
        <translation>
            <numerusform>%n Dataset</numerusform>
            <numerusform>%n Datasets</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
</context>
<context>
    <name>ErrorText</name>
    <message>
        <source>You are not allowed to do this.</source>
        <translation>Sie dürfen das nicht tun.</translation>
    </message>
    <message>
        <source>You are not allowed to do this: %1</source>
        <translation>Sie dürfen das nicht tun: %1</translation>
    </message>
    <message>
        <source>The helper did not answer in time. A disk may be slow or not respond.</source>
        <translation>Der Helfer hat nicht rechtzeitig geantwortet. Vielleicht ist eine Platte langsam oder antwortet nicht.</translation>
    </message>
    <message>
        <source>The storage helper is not running.</source>
        <translation>Der Speicherhelfer läuft nicht.</translation>
    </message>
    <message>
        <source>The helper&apos;s answer could not be understood: %1</source>
        <translation>Die Antwort des Helfers war nicht zu verstehen: %1</translation>
    </message>
    <message>
        <source>The helper refused: %1</source>
        <translation>Der Helfer lehnte ab: %1</translation>
    </message>
    <message>
        <source>Connecting to the storage helper of this machine</source>
        <translation>Verbindung zum Speicherhelfer dieses Rechners wird aufgebaut</translation>
    </message>
    <message>
        <source>Starting the storage helper</source>
        <translation>Der Speicherhelfer wird gestartet</translation>
    </message>
    <message>
        <source>The storage helper is ready</source>
        <translation>Der Speicherhelfer ist bereit</translation>
    </message>
    <message>
        <source>The storage helper has ended</source>
        <translation>Der Speicherhelfer wurde beendet</translation>
    </message>
    <message>
        <source>The storage helper has another version</source>
        <translation>Der Speicherhelfer hat eine andere Version</translation>
    </message>
    <message>
        <source>The storage helper of this machine cannot be reached</source>
        <translation>Der Speicherhelfer dieses Rechners ist nicht erreichbar</translation>
    </message>
    <message>
        <source>The storage helper could not be started</source>
        <translation>Der Speicherhelfer konnte nicht gestartet werden</translation>
    </message>
    <message>
        <source>It reads disks and image files for this window.</source>
        <translation>Er liest Platten und Abbilddateien für dieses Fenster.</translation>
    </message>
    <message>
        <source>Pools that were open in it are closed; nothing on the disks was changed. It can be started again.</source>
        <translation>Pools, die darin offen waren, sind geschlossen; auf den Platten wurde nichts geändert. Er kann neu gestartet werden.</translation>
    </message>
</context>
<context>
    <name>HeadingText</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>Available</source>
        <translation>Verfügbar</translation>
    </message>
    <message>
        <source>Referenced</source>
        <translation>Referenziert</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>Verhältnis</translation>
    </message>
    <message>
        <source>Mountpoint</source>
        <translation>Einhängepunkt</translation>
    </message>
    <message>
        <source>Mounted</source>
        <translation>Eingehängt</translation>
    </message>
    <message>
        <source>Snapshot</source>
        <translation>Schnappschuss</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>Erstellt</translation>
    </message>
</context>
<context>
    <name>HealthText</name>
    <message>
        <source>Online</source>
        <translation>In Betrieb</translation>
    </message>
    <message>
        <source>Degraded</source>
        <translation>Beeinträchtigt</translation>
    </message>
    <message>
        <source>Faulted</source>
        <translation>Gestört</translation>
    </message>
    <message>
        <source>Unavailable</source>
        <translation>Nicht verfügbar</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>Außer Betrieb</translation>
    </message>
    <message>
        <source>Removed</source>
        <translation>Entfernt</translation>
    </message>
    <message>
        <source>Suspended</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Spare, ready</source>
        <translation>Ersatz, bereit</translation>
    </message>
    <message>
        <source>Spare, in use</source>
        <translation>Ersatz, in Gebrauch</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Unbekannt</translation>
    </message>
</context>
<context>
    <name>HelperStatus</name>
    <message>
        <source>helper not started</source>
        <translation>Helfer nicht gestartet</translation>
    </message>
    <message>
        <source>helper is starting</source>
        <translation>Helfer wird gestartet</translation>
    </message>
    <message>
        <source>helper %1 is running</source>
        <translation>Helfer %1 läuft</translation>
    </message>
    <message>
        <source>helper has ended</source>
        <translation>Helfer wurde beendet</translation>
    </message>
    <message>
        <source>no helper</source>
        <translation>kein Helfer</translation>
    </message>
    <message>
        <source>helper has another version</source>
        <translation>Helfer hat eine andere Version</translation>
    </message>
    <message>
        <source>System mode</source>
        <translation>Systemmodus</translation>
    </message>
    <message>
        <source>Private mode</source>
        <translation>Privater Modus</translation>
    </message>
    <message>
        <source>The helper of this machine works on its devices; it may ask for a password.</source>
        <translation>Der Helfer dieses Rechners arbeitet mit dessen Geräten; er kann nach einem Passwort fragen.</translation>
    </message>
    <message>
        <source>A helper of your own, with your rights: image files, and devices you may read.</source>
        <translation>Ein eigener Helfer mit Ihren Rechten: Abbilddateien und Geräte, die Sie lesen dürfen.</translation>
    </message>
</context>
<context>
    <name>JobRow</name>
    <message>
        <source>Progress of %1</source>
        <translation>Fortschritt: %1</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Close the line of %1</source>
        <translation>Zeile von %1 schließen</translation>
    </message>
    <message>
        <source>Cancel %1</source>
        <translation>%1 abbrechen</translation>
    </message>
</context>
<context>
    <name>JobsArea</name>
    <message numerus="yes">
        <source>%n second(s) left</source>
        <translation>
            <numerusform>noch %n Sekunde</numerusform>
            <numerusform>noch %n Sekunden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s) left</source>
        <translation>
            <numerusform>noch %n Minute</numerusform>
            <numerusform>noch %n Minuten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hour(s) left</source>
        <translation>
            <numerusform>noch %n Stunde</numerusform>
            <numerusform>noch %n Stunden</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>waiting its turn</source>
        <translation>wartet, bis sie an der Reihe ist</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>fehlgeschlagen: %1</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>Aufträge</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;About Millpond</source>
        <translation>Ü&amp;ber Millpond</translation>
    </message>
    <message>
        <source>%1 – Millpond</source>
        <translation>%1 – Millpond</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>About Millpond</source>
        <translation>Über Millpond</translation>
    </message>
    <message>
        <source>&lt;b&gt;Millpond %1&lt;/b&gt;&lt;p&gt;Storage pools in the OpenZFS format, without a kernel module.&lt;p&gt;Free software under the GNU General Public License, version 3 or later.</source>
        <translation>&lt;b&gt;Millpond %1&lt;/b&gt;&lt;p&gt;Speicherpools im OpenZFS-Format, ohne Kernelmodul.&lt;p&gt;Freie Software unter der GNU General Public License, Version 3 oder neuer.</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Close message</source>
        <translation>Meldung schließen</translation>
    </message>
</context>
<context>
    <name>Operations</name>
    <message>
        <source>Importing %1 read-only</source>
        <translation>%1 wird nur zum Lesen importiert</translation>
    </message>
    <message>
        <source>%1 was not imported: %2</source>
        <translation>%1 wurde nicht importiert: %2</translation>
    </message>
    <message>
        <source>%1 is open read-only: nothing on its disks is changed.</source>
        <translation>%1 ist nur zum Lesen geöffnet: auf seinen Platten wird nichts geändert.</translation>
    </message>
    <message>
        <source>%1 is open read-only, but not everything in it could be mounted: %2</source>
        <translation>%1 ist nur zum Lesen geöffnet, aber nicht alles darin konnte eingehängt werden: %2</translation>
    </message>
    <message>
        <source>Exporting %1</source>
        <translation>%1 wird exportiert</translation>
    </message>
    <message>
        <source>%1 is exported; its disks can be taken away.</source>
        <translation>%1 ist exportiert; seine Platten können entfernt werden.</translation>
    </message>
    <message>
        <source>%1 was not exported: %2</source>
        <translation>%1 wurde nicht exportiert: %2</translation>
    </message>
    <message>
        <source>Mounting %1</source>
        <translation>%1 wird eingehängt</translation>
    </message>
    <message>
        <source>%1 was not mounted: %2</source>
        <translation>%1 wurde nicht eingehängt: %2</translation>
    </message>
    <message>
        <source>%1 is mounted.</source>
        <translation>%1 ist eingehängt.</translation>
    </message>
    <message>
        <source>%1 is mounted at %2.</source>
        <translation>%1 ist unter %2 eingehängt.</translation>
    </message>
    <message>
        <source>Unmounting %1</source>
        <translation>%1 wird ausgehängt</translation>
    </message>
    <message>
        <source>%1 is no longer mounted.</source>
        <translation>%1 ist nicht mehr eingehängt.</translation>
    </message>
    <message>
        <source>%1 was not unmounted: %2</source>
        <translation>%1 wurde nicht ausgehängt: %2</translation>
    </message>
</context>
<context>
    <name>OptionText</name>
    <message>
        <source>Show the pools whose image files lie in DIR.</source>
        <translation>Die Pools zeigen, deren Abbilddateien in DIR liegen.</translation>
    </message>
    <message>
        <source>Open every pool of that folder first, read-only.</source>
        <translation>Zuerst jeden Pool dieses Ordners nur zum Lesen öffnen.</translation>
    </message>
    <message>
        <source>Work with the helper of this machine, not a private one.</source>
        <translation>Mit dem Helfer dieses Rechners arbeiten, nicht mit einem privaten.</translation>
    </message>
    <message>
        <source>Begin with the page NAME.</source>
        <translation>Mit der Seite NAME beginnen.</translation>
    </message>
    <message>
        <source>Print what the window would show, and exit.</source>
        <translation>Ausgeben, was das Fenster zeigen würde, und beenden.</translation>
    </message>
    <message>
        <source>Write a picture of the window to FILE once everything is shown, and exit.</source>
        <translation>Ein Bild des Fensters in FILE schreiben, sobald alles angezeigt ist, und beenden.</translation>
    </message>
    <message>
        <source>Looks into storage pools and opens them.</source>
        <translation>Sieht in Speicherpools hinein und öffnet sie.</translation>
    </message>
    <message>
        <source>Unexpected argument: %1</source>
        <translation>Unerwartetes Argument: %1</translation>
    </message>
    <message>
        <source>--import needs --folder</source>
        <translation>--import braucht --folder</translation>
    </message>
</context>
<context>
    <name>PageBar</name>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
</context>
<context>
    <name>PoolDetail</name>
    <message>
        <source>Devices of the pool</source>
        <translation>Geräte des Pools</translation>
    </message>
    <message>
        <source>Datasets, snapshots and check</source>
        <translation>Datasets, Schnappschüsse und Prüfung</translation>
    </message>
    <message>
        <source>D&amp;atasets</source>
        <translation>D&amp;atasets</translation>
    </message>
    <message>
        <source>S&amp;napshots</source>
        <translation>Sch&amp;nappschüsse</translation>
    </message>
    <message>
        <source>Chec&amp;k</source>
        <translation>Prüf&amp;ung</translation>
    </message>
</context>
<context>
    <name>PoolListModel</name>
    <message>
        <source>A scrub was running; it goes on when the pool is opened for writing.</source>
        <translation>Ein Scrub lief gerade; er geht weiter, wenn der Pool zum Schreiben geöffnet wird.</translation>
    </message>
    <message>
        <source>The last scrub was cancelled on %1.</source>
        <translation>Der letzte Scrub wurde am %1 abgebrochen.</translation>
    </message>
    <message numerus="yes">
        <source>Last scrub: %1, %n error(s).</source>
        <translation>
            <numerusform>Letzter Scrub: %1, %n Fehler.</numerusform>
            <numerusform>Letzter Scrub: %1, %n Fehler.</numerusform>
        </translation>
    </message>
    <message>
        <source>A device was being rebuilt (resilvered); until that ends the pool has less redundancy.</source>
        <translation>Ein Gerät wurde gerade wiederhergestellt (Resilver); bis das beendet ist, hat der Pool weniger Redundanz.</translation>
    </message>
    <message>
        <source>The last rebuild (resilver) was cancelled on %1.</source>
        <translation>Die letzte Wiederherstellung (Resilver) wurde am %1 abgebrochen.</translation>
    </message>
    <message numerus="yes">
        <source>Last rebuild (resilver): %1, %n error(s).</source>
        <translation>
            <numerusform>Letzte Wiederherstellung (Resilver): %1, %n Fehler.</numerusform>
            <numerusform>Letzte Wiederherstellung (Resilver): %1, %n Fehler.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) or object(s) are known to be damaged.</source>
        <translation>
            <numerusform>%n Datei oder Objekt ist nachweislich beschädigt.</numerusform>
            <numerusform>%n Dateien oder Objekte sind nachweislich beschädigt.</numerusform>
        </translation>
    </message>
    <message>
        <source>This pool was destroyed; what is left of it can be looked at.</source>
        <translation>Dieser Pool wurde zerstört; was davon übrig ist, lässt sich ansehen.</translation>
    </message>
    <message>
        <source>This pool cannot be imported.</source>
        <translation>Dieser Pool kann nicht importiert werden.</translation>
    </message>
    <message>
        <source>Cannot be imported: %1</source>
        <translation>Kann nicht importiert werden: %1</translation>
    </message>
    <message>
        <source>It was not exported: %1 may be using it. Opened read-only it is not changed.</source>
        <translation>Er wurde nicht exportiert: %1 benutzt ihn vielleicht. Nur zum Lesen geöffnet wird er nicht verändert.</translation>
    </message>
    <message>
        <source>another machine</source>
        <translation>ein anderer Rechner</translation>
    </message>
    <message>
        <source>This pool can be opened for reading only.</source>
        <translation>Dieser Pool kann nur zum Lesen geöffnet werden.</translation>
    </message>
    <message>
        <source>%1, open read-only</source>
        <translation>%1, nur zum Lesen geöffnet</translation>
    </message>
    <message>
        <source>%1, open</source>
        <translation>%1, geöffnet</translation>
    </message>
    <message>
        <source>%1, not imported</source>
        <translation>%1, nicht importiert</translation>
    </message>
    <message>
        <source>%1, cannot be imported</source>
        <translation>%1, nicht importierbar</translation>
    </message>
    <message>
        <source>%1 raw size</source>
        <translation>%1 Rohgröße</translation>
    </message>
    <message>
        <source>%1 of %2 raw space allocated (%3 %)</source>
        <translation>%1 von %2 Rohplatz belegt (%3 %)</translation>
    </message>
    <message>
        <source>All devices are there. No known data errors.</source>
        <translation>Alle Geräte sind da. Keine bekannten Datenfehler.</translation>
    </message>
    <message>
        <source>All devices are there.</source>
        <translation>Alle Geräte sind da.</translation>
    </message>
    <message>
        <source>%1 (guid %2)</source>
        <translation>%1 (GUID %2)</translation>
    </message>
</context>
<context>
    <name>PoolLoader</name>
    <message>
        <source>Looking for pools on the devices of this machine</source>
        <translation>Auf den Geräten dieses Rechners wird nach Pools gesucht</translation>
    </message>
    <message>
        <source>Looking for pools in %1</source>
        <translation>In %1 wird nach Pools gesucht</translation>
    </message>
</context>
<context>
    <name>PoolsPage</name>
    <message>
        <source>Pools</source>
        <translation>Pools</translation>
    </message>
    <message>
        <source>Pools on this machine</source>
        <translation>Pools auf diesem Rechner</translation>
    </message>
    <message>
        <source>Pools in %1</source>
        <translation>Pools in %1</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Looking for pools on the devices of this machine</source>
        <translation>Auf den Geräten dieses Rechners wird nach Pools gesucht</translation>
    </message>
    <message>
        <source>Looking for pools in %1</source>
        <translation>In %1 wird nach Pools gesucht</translation>
    </message>
    <message>
        <source>No pools on the devices of this machine</source>
        <translation>Keine Pools auf den Geräten dieses Rechners</translation>
    </message>
    <message>
        <source>No pools in %1</source>
        <translation>Keine Pools in %1</translation>
    </message>
    <message>
        <source>Plug in the disks of a pool and refresh, or open a folder that holds its disks as image files.</source>
        <translation>Schließen Sie die Platten eines Pools an und aktualisieren Sie, oder öffnen Sie einen Ordner, in dem seine Platten als Abbilddateien liegen.</translation>
    </message>
    <message>
        <source>A pool shows up when the folder holds the image files of its disks. Folders inside it are not searched.</source>
        <translation>Ein Pool erscheint, wenn der Ordner die Abbilddateien seiner Platten enthält. Unterordner werden nicht durchsucht.</translation>
    </message>
    <message>
        <source>Open Folder…</source>
        <translation>Ordner öffnen …</translation>
    </message>
    <message>
        <source>The devices of this machine could not be searched for pools</source>
        <translation>Die Geräte dieses Rechners konnten nicht nach Pools durchsucht werden</translation>
    </message>
    <message>
        <source>%1 could not be searched for pools</source>
        <translation>%1 konnte nicht nach Pools durchsucht werden</translation>
    </message>
    <message>
        <source>Open Folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Import read-only anyway</source>
        <translation>Trotzdem nur zum Lesen importieren</translation>
    </message>
    <message>
        <source>Folder with image files</source>
        <translation>Ordner mit Abbilddateien</translation>
    </message>
    <message>
        <source>Save table</source>
        <translation>Tabelle speichern</translation>
    </message>
    <message>
        <source>CSV files (*.csv)</source>
        <translation>CSV-Dateien (*.csv)</translation>
    </message>
    <message>
        <source>The table was saved as %1.</source>
        <translation>Die Tabelle wurde als %1 gespeichert.</translation>
    </message>
    <message>
        <source>%1 was not written: %2</source>
        <translation>%1 wurde nicht geschrieben: %2</translation>
    </message>
</context>
<context>
    <name>ProblemModel</name>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problem</translation>
    </message>
</context>
<context>
    <name>Session</name>
    <message>
        <source>Not everything was shown in time.</source>
        <translation>Nicht alles wurde rechtzeitig angezeigt.</translation>
    </message>
    <message>
        <source>%1 could not be written.</source>
        <translation>%1 konnte nicht geschrieben werden.</translation>
    </message>
</context>
<context>
    <name>SnapshotPanel</name>
    <message>
        <source>Snapshots</source>
        <translation>Schnappschüsse</translation>
    </message>
    <message>
        <source>No dataset is selected</source>
        <translation>Kein Dataset ausgewählt</translation>
    </message>
    <message>
        <source>Select a dataset to see its snapshots.</source>
        <translation>Wählen Sie ein Dataset aus, um seine Schnappschüsse zu sehen.</translation>
    </message>
    <message>
        <source>Reading the snapshots of %1</source>
        <translation>Schnappschüsse von %1 werden gelesen</translation>
    </message>
    <message>
        <source>The snapshots of %1 could not be read</source>
        <translation>Die Schnappschüsse von %1 konnten nicht gelesen werden</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>%1 has no snapshots</source>
        <translation>%1 hat keine Schnappschüsse</translation>
    </message>
    <message numerus="yes">
        <source>%n snapshot(s) of %1</source>
        <translation>
            <numerusform>%n Schnappschuss von %1</numerusform>
            <numerusform>%n Schnappschüsse von %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TextReport</name>
    <message numerus="yes">
        <source>%n pool(s) on this machine</source>
        <translation>
            <numerusform>%n Pool auf diesem Rechner</numerusform>
            <numerusform>%n Pools auf diesem Rechner</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pool(s) in %1</source>
        <translation>
            <numerusform>%n Pool in %1</numerusform>
            <numerusform>%n Pools in %1</numerusform>
        </translation>
    </message>
    <message>
        <source>The datasets of %1 could not be read: %2</source>
        <translation>Die Datasets von %1 konnten nicht gelesen werden: %2</translation>
    </message>
</context>
<context>
    <name>TranscriptBar</name>
    <message>
        <source>Command:</source>
        <translation>Befehl:</translation>
    </message>
    <message>
        <source>What you do here is shown as a command</source>
        <translation>Was Sie hier tun, erscheint als Befehl</translation>
    </message>
    <message>
        <source>Equivalent command</source>
        <translation>Gleichwertiger Befehl</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>Befehl kopieren</translation>
    </message>
    <message>
        <source>Copy this command; the arrow lists earlier ones</source>
        <translation>Diesen Befehl kopieren; der Pfeil zeigt frühere</translation>
    </message>
</context>
<context>
    <name>VdevModel</name>
    <message>
        <source>Logs</source>
        <translation>Protokollgeräte</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>Zwischenspeicher</translation>
    </message>
    <message>
        <source>Spares</source>
        <translation>Ersatzgeräte</translation>
    </message>
    <message>
        <source>Special (metadata)</source>
        <translation>Spezial (Metadaten)</translation>
    </message>
    <message>
        <source>Deduplication tables</source>
        <translation>Deduplizierungstabellen</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Remark</source>
        <translation>Bemerkung</translation>
    </message>
    <message>
        <source>Errors of this kind since the pool was opened</source>
        <translation>Fehler dieser Art, seit der Pool geöffnet wurde</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Lesen</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>Schreiben</translation>
    </message>
    <message>
        <source>Checksum</source>
        <translation>Prüfsumme</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>There is no page %1. Pages: %2</source>
        <translation>Es gibt keine Seite %1. Seiten: %2</translation>
    </message>
</context>
</TS>
